// The processes of the product, read from /proc (Linux): by the marker that everything it starts inherits.
import { readdirSync, readFileSync } from 'node:fs';

export const MARKER = 'TROUPE_INSTANCE';
export type Proc = { pid: number; ppid: number; started: string; command: string };

const read = (pid: string | number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return ''; // it has ended
  }
};

/** null: it has ended. A zombie has ended too. */
export function procOf(pid: string | number): Proc | null {
  const stat = read(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', ppid] = fields;
  if (state === '' || state === 'Z' || state === 'X') return null;
  const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
  return { pid: Number(pid), ppid: Number(ppid), started: fields[19] ?? '', command };
}

const all = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

/** What lives with the marker of one of these instances; guards too, which carry it as an argument. */
export function familyOf(instances: readonly string[]): Proc[] {
  const marks = instances.map((id) => `${MARKER}=${id}`);
  return all().flatMap((pid) => {
    const text = `${read(pid, 'environ')}\0${read(pid, 'cmdline')}`;
    const row = marks.some((mark) => text.includes(mark)) ? procOf(pid) : null;
    return row ? [row] : [];
  });
}

export const isGuard = ({ command }: Proc): boolean => command.includes('troupe-guard');
const isWorker = ({ command }: Proc): boolean => command.includes('worker.js');
export const isCommand = (row: Proc): boolean => !isGuard(row) && !isWorker(row);

/** The guard of a main, or null. It is main's child. */
export const guardOf = (main: number): Proc | null =>
  all()
    .map(procOf)
    .find((row) => row !== null && row.ppid === main && isGuard(row)) ?? null;

/** Signals the process that was seen, not another that has its number by now. */
export function signalTo(row: Proc, name: NodeJS.Signals): boolean {
  if (procOf(row.pid)?.started !== row.started) return false;
  try {
    return process.kill(row.pid, name);
  } catch {
    return false;
  }
}
