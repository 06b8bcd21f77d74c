// Finds and kills what carries a marker in its environment, wherever it has moved to (setsid, double fork).
// Linux only: where there is no /proc it finds nothing. Never touches its own process or group.
import { readdir, readFile } from 'node:fs/promises';

export type Found = { pid: number; group: number };

/** Living processes whose initial environment holds `name=value`. */
export async function marked(marker: string): Promise<Found[]> {
  const needle = Buffer.from(`${marker}\0`);
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found: Found[] = [];
  const look = async (pid: string): Promise<void> => {
    try {
      if (!(await readFile(`/proc/${pid}/environ`)).includes(needle)) return;
      const { state, group } = parseStat(await readFile(`/proc/${pid}/stat`, 'latin1'));
      if (state !== 'Z' && state !== 'X') found.push({ pid: Number(pid), group });
    } catch {
      // It has gone, or it is not ours to read.
    }
  };
  // In small batches: a machine may have thousands of processes, and the thread pool serves others too.
  for (let at = 0; at < pids.length; at += 32) await Promise.all(pids.slice(at, at + 32).map(look));
  return found;
}

/** Fields of /proc/PID/stat; the name may hold spaces and brackets, so they count from the last one. */
export function parseStat(stat: string): { state: string; group: number; fields: string[] } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? 'X', group: Number(fields[2] ?? 0), fields };
}

export const ownGroup = (): Promise<number> =>
  readFile('/proc/self/stat', 'latin1')
    .then((stat) => parseStat(stat).group)
    .catch(() => 0);

/**
 * Kills every marked process together with its process group, again and again until a round finds nothing
 * (at most `rounds`). Answers how many processes it met.
 */
export async function sweep(marker: string, rounds = 50): Promise<number> {
  const mine = await ownGroup();
  const met = new Set<number>();
  for (let round = 0; round < rounds; round += 1) {
    const found = (await marked(marker)).filter(({ pid }) => pid !== process.pid);
    if (found.length === 0) break;
    for (const { pid, group } of found) {
      met.add(pid);
      if (group > 1 && group !== mine) killGroup(group);
      signal(pid, 'SIGKILL');
    }
    // 10 ms: what was killed needs a moment to go, and a fork under way to show up.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return met.size;
}

/** KILL to a whole process group; one that is empty is fine. */
export const killGroup = (group: number): void => signal(-group, 'SIGKILL');

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Already gone.
  }
}
