// The jobs that outlive their tool call, by run: kept drained until the run ends, then stopped and named.
import { setTimeout as pause } from 'node:timers/promises';
import { GRACE_MS, type Job, RUN_MARK } from './job.ts';
import { findStragglers, signal, sweep } from './stragglers.ts';

export type Jobs = {
  /** A call of this run starts: from now on the run is swept at its end. */
  open(run_id: string): void;
  /** This job goes on in the background until the run ends. */
  keep(run_id: string, job: Job): void;
  /** A job of this run is still at work in the background. */
  working(run_id: string): boolean;
  /** Stops what carries the run's marker. Answers with what was left running, named. Never throws. */
  stopLeftovers(run_id: string): Promise<string[]>;
};

export function createJobs(): Jobs {
  const runs = new Map<string, Set<Job>>();
  return {
    open(run_id) {
      if (!runs.has(run_id)) runs.set(run_id, new Set());
    },
    keep(run_id, job) {
      const jobs = runs.get(run_id);
      jobs?.add(job);
      void job.exit.then(async () => {
        if (!jobs?.has(job) || job.stragglers().length > 0) return;
        jobs.delete(job);
        await job.release(true);
      });
    },
    working: (run_id) => (runs.get(run_id)?.size ?? 0) > 0,
    async stopLeftovers(run_id) {
      const jobs = runs.get(run_id);
      if (!jobs) return [];
      runs.delete(run_id);
      const mark = { name: RUN_MARK, value: run_id };
      const left = findStragglers(mark);
      for (const { pid } of left) signal(pid, 'SIGTERM');
      const deadline = performance.now() + GRACE_MS;
      while (findStragglers(mark).length > 0 && performance.now() < deadline) await pause(20);
      await sweep(mark);
      for (const job of jobs) {
        await job.stop().catch(() => {});
        await job.release(true).catch(() => {});
      }
      return left.map(({ pid, command }) => `${command} (pid ${pid})`);
    },
  };
}
