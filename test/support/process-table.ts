// What runs on this machine, read from /proc (Linux). Zombies count as gone: `kill(pid, 0)` would call them alive.
import { readdirSync, readFileSync } from 'node:fs';

export type Process = { pid: number; ppid: number; group: number; command: string };

const read = (pid: string, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'latin1');

/** Every live process whose environment at its start held `name=value`. */
export function marked(name: string, value: string): Process[] {
  const found: Process[] = [];
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (!read(pid, 'environ').split('\0').includes(`${name}=${value}`)) continue;
      const row = processOf(pid);
      if (row) found.push(row);
    } catch {
      // it ended while we looked, or belongs to somebody else
    }
  }
  return found;
}

/** The process with this id, or null when there is none (any more). */
export function processOf(pid: number | string): Process | null {
  try {
    const stat = read(String(pid), 'stat');
    // the name in brackets may hold spaces and brackets: the fields start after the last one
    const [state, ppid, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return null;
    const command = read(String(pid), 'cmdline').replaceAll('\0', ' ').trim();
    return { pid: Number(pid), ppid: Number(ppid), group: Number(group), command };
  } catch {
    return null;
  }
}

/** `NAME=value` of each variable that the process was started with; empty when it has gone. */
export function environmentOf(pid: number): string[] {
  try {
    return read(String(pid), 'environ').split('\0').filter(Boolean);
  } catch {
    return [];
  }
}

export const alive = (pid: number): boolean => processOf(pid) !== null;

/** Direct and indirect children of a process, whatever their group. */
export function descendants(pid: number): Process[] {
  const all = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(processOf)
    .filter((row) => row !== null);
  const below = (parent: number): Process[] =>
    all.filter((row) => row.ppid === parent).flatMap((row) => [row, ...below(row.pid)]);
  return below(pid);
}

/** Bytes that this process alone holds in memory: its clean and dirty private pages. */
export function privateBytes(pid: number): number {
  const rollup = read(String(pid), 'smaps_rollup');
  return [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)].reduce(
    (sum, [, kib]) => sum + Number(kib) * 1024,
    0,
  );
}
