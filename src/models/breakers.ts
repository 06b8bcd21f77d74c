// The circuit breakers of all models, one for each `provider:model` that has failed of late.
import {
  type Breaker,
  type BreakerState,
  breakerState,
  closedBreaker,
  mayCall,
  onCall,
  onFailure,
  onNoVerdict,
  opensIn,
} from '../resilience/breaker.ts';

export type BreakerRow = { model: string; state: BreakerState; failures: number; reason: string };

/** Callers may name any model: the oldest entry makes room. */
const MOST_MODELS = 500;

export type Breakers = {
  /** null: the call may go out (and is the trial when half-open); else why not. */
  enter(model: string): string | null;
  succeeded(model: string): void;
  failed(model: string, reason: string): void;
  noVerdict(model: string): void;
  rows(): BreakerRow[];
};

export function createBreakers(now: () => number): Breakers {
  const kept = new Map<string, { breaker: Breaker; reason: string }>();
  return {
    enter(model) {
      const row = kept.get(model);
      if (!row) return null;
      if (mayCall(row.breaker, now())) {
        row.breaker = onCall(row.breaker, now());
        return null;
      }
      const wait = Math.ceil(opensIn(row.breaker, now()) / 1000);
      return `${model} is paused after ${row.breaker.failures} failures in a row; next try in ${wait} s. Last: ${row.reason}`;
    },
    succeeded(model) {
      kept.delete(model);
    },
    failed(model, reason) {
      const before = kept.get(model)?.breaker ?? closedBreaker;
      kept.delete(model);
      if (kept.size >= MOST_MODELS) kept.delete(kept.keys().next().value ?? '');
      kept.set(model, { breaker: onFailure(before, now()), reason });
    },
    noVerdict(model) {
      const row = kept.get(model);
      if (row) row.breaker = onNoVerdict(row.breaker);
    },
    rows: () =>
      [...kept].map(([model, { breaker, reason }]) => ({
        model,
        state: breakerState(breaker, now()),
        failures: breaker.failures,
        reason,
      })),
  };
}
