// Finds and ends processes by an environment marker, so that nothing a command started can be lost.
// Never signals a process that does not carry the marker (or belongs to the session that was named).
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export type Straggler = { pid: number; command: string };
/** `session`: also everything in this session, for commands that emptied their environment. */
export type Mark = { name: string; value: string; session?: number };

/** Between two looks: long enough to be cheap, short enough that nobody waits for it. */
const LOOK_EVERY_MS = 20;
/** Give up after this: what KILL has not ended by then waits for the kernel (disk, debugger). */
const SWEEP_MS = 2_000;

const readProc = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return ''; // gone, or of another user
  }
};

function sessionOf(pid: string): { session: number; dead: boolean } {
  const stat = readProc(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { session: Number(fields[3] ?? 0), dead: fields[0] === 'Z' || fields[0] === 'X' };
}

function carries(pid: string, mark: Mark): boolean {
  if (`\0${readProc(pid, 'environ')}`.includes(`\0${mark.name}=${mark.value}\0`)) return true;
  if (mark.session === undefined) return false;
  const { session, dead } = sessionOf(pid);
  return session === mark.session && !dead;
}

/** Live processes that carry the mark; zombies have no environment and do not count. */
export function findStragglers(mark: Mark): Straggler[] {
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // no /proc: the process group is all there is
  }
  return pids
    .filter((pid) => Number(pid) !== process.pid && carries(pid, mark))
    .map((pid) => ({
      pid: Number(pid),
      command: Buffer.from(readProc(pid, 'cmdline'), 'latin1')
        .toString('utf8')
        .replaceAll('\0', ' ')
        .trim()
        .slice(0, 200),
    }));
}

export function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false; // gone already
  }
}

/** KILLs until nothing carries the mark. Answers with what is left (normally nothing). */
export async function sweep(mark: Mark): Promise<Straggler[]> {
  const deadline = performance.now() + SWEEP_MS;
  for (;;) {
    const found = findStragglers(mark);
    for (const { pid } of found) signal(pid, 'SIGKILL');
    if (found.length === 0 || performance.now() > deadline) return found;
    await pause(LOOK_EVERY_MS);
  }
}
