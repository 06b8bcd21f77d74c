// Which processes of an instance still run: by the marker that everything it starts inherits, and by their ids.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const MARKER = 'TROUPE_INSTANCE=';
/** The guard ends with the last child; killed commands need a moment to be reaped. */
const GONE_MS = 5_000;

function environOf(pid: number | string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

/** The instance that started the process; null when it has ended or there is no /proc. */
export const instanceOf = (pid: number | null): string | null =>
  pid === null ? null : (environOf(pid).find((row) => row.startsWith(MARKER)) ?? null);

function procs(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie has ended; it only waits to be collected.
    return !/^State:\s+[ZX]/m.test(statusOf(pid));
  } catch {
    return false;
  }
}
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** Process ids that are still there after a few seconds; empty when all have gone. */
export async function leftOf(pids: number[], instances: string[]): Promise<number[]> {
  const marked = () =>
    procs()
      .filter((pid) => environOf(pid).some((row) => instances.includes(row)))
      .map(Number);
  const left = () => [...new Set([...pids, ...marked()])].filter(runs);
  const deadline = performance.now() + GONE_MS;
  while (left().length > 0 && performance.now() < deadline) await pause(50);
  return left();
}
