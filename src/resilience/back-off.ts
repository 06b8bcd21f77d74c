// How long to wait before the next attempt. Pure: never sleeps, never counts by itself.

export type BackOff = { base_ms: number; factor: number; max_ms: number };

/**
 * Milliseconds to wait after attempt number `attempt` (from 0). Half of it is fixed and half is random, so that
 * those who failed together do not come back together. `random` in [0, 1).
 */
export function backOff(attempt: number, rule: BackOff, random: number): number {
  // Math.pow overflows to Infinity for large attempts; min() brings it back.
  const full = Math.min(rule.max_ms, rule.base_ms * rule.factor ** Math.max(0, attempt));
  return Math.round(full / 2 + (full / 2) * random);
}
