// What a process uses, from /proc. Answers nulls where there is none; never waits.
import { readFileSync } from 'node:fs';

/** Linux counts CPU time in 1/100 s for user programs, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;

export function usageOf(pid: number | null): {
  rss_bytes: number | null;
  cpu_seconds: number | null;
} {
  if (pid === null) return { rss_bytes: null, cpu_seconds: null };
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const rss = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    return {
      rss_bytes: rss === undefined ? null : Number(rss) * 1024,
      cpu_seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    };
  } catch {
    return { rss_bytes: null, cpu_seconds: null };
  }
}
