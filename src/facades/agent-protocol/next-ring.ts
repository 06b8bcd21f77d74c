// Waits for the next ring of a bell: registered before the rows are read, so that nothing falls in between.
import { joinSignals } from '../../domain/join-signals.ts';
import type { Tasks } from '../../tasks/index.ts';

/** Whoever waits looks again after this long, whatever happens. */
const LOOK_MS = 30_000;

export function nextRing(
  bell: Tasks['bell'],
  key: string,
  signal: AbortSignal,
): { rung: Promise<unknown>; leave(): void } {
  const here = new AbortController();
  const both = joinSignals([signal, here.signal]);
  const rung = bell.wait(key, LOOK_MS, both.signal).finally(both.release);
  return { rung, leave: () => here.abort() };
}
