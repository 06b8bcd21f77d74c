// Probes one role server while it lives and says when it hangs. Never kills: it only calls onHung, once.
import type { Clock } from '../domain/ports.ts';
import { missesAfter } from './policy.ts';

export type HealthRules = {
  probe_every_ms: number;
  /** A stopped process still accepts connections: only an answer counts, and only within this. */
  probe_deadline_ms: number;
  probe_misses: number;
};
export type WatchDeps = {
  rules: HealthRules;
  clock: Clock;
  probe: (deadline_ms: number) => Promise<unknown>;
  /** Monotonic ms of the last sign of life other than a probe. */
  lastSign: () => number;
  onHung: () => void;
};

/** Starts watching; the answer stops it. */
export function watchHealth({ rules, clock, probe, lastSign, onHung }: WatchDeps): () => void {
  let stopped = false;
  let misses = 0;
  let timer: NodeJS.Timeout | undefined;
  const schedule = (): void => {
    const due = clock.mono() + rules.probe_every_ms;
    timer = setTimeout(() => void look(due), rules.probe_every_ms);
    timer.unref();
  };
  async function look(due: number): Promise<void> {
    const sent = clock.mono();
    const answered = await probe(rules.probe_deadline_ms).then(
      () => true,
      () => false,
    );
    if (stopped) return;
    misses = missesAfter({
      answered,
      due,
      sent,
      settled: clock.mono(),
      deadline_ms: rules.probe_deadline_ms,
      last_sign: lastSign(),
      misses,
    });
    if (misses < rules.probe_misses) return schedule();
    onHung();
  }
  schedule();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
