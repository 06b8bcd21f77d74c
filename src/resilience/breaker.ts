// A circuit breaker as values: what a state allows and what follows from a success or a failure.
// Pure: never reads a clock and never calls anything.

/** `failures` in a row; `opened_at` and `trial_at` in monotonic milliseconds, null when not so. */
export type Breaker = { failures: number; opened_at: number | null; trial_at: number | null };
export type BreakerState = 'closed' | 'open' | 'half_open';
export type BreakerLimits = { threshold: number; reset_ms: number };

/** Three failures say that it is not a hiccup; after 300 s one trial asks whether it is over. */
export const BREAKER_LIMITS: BreakerLimits = { threshold: 3, reset_ms: 300_000 };

export const closedBreaker: Breaker = { failures: 0, opened_at: null, trial_at: null };

export function breakerState(b: Breaker, now: number, limits = BREAKER_LIMITS): BreakerState {
  if (b.opened_at === null) return 'closed';
  return now - b.opened_at >= limits.reset_ms ? 'half_open' : 'open';
}

/** Whether a call may go out now. Half-open lets one trial through; a trial that is lost ends by time. */
export function mayCall(b: Breaker, now: number, limits = BREAKER_LIMITS): boolean {
  const state = breakerState(b, now, limits);
  if (state !== 'half_open') return state === 'closed';
  return b.trial_at === null || now - b.trial_at >= limits.reset_ms;
}

/** Milliseconds until the next call may go out; 0 when it may now. */
export function opensIn(b: Breaker, now: number, limits = BREAKER_LIMITS): number {
  if (mayCall(b, now, limits)) return 0;
  const since = breakerState(b, now, limits) === 'open' ? b.opened_at : b.trial_at;
  return Math.max(0, (since ?? now) + limits.reset_ms - now);
}

/** To be stored when a call goes out. */
export const onCall = (b: Breaker, now: number, limits = BREAKER_LIMITS): Breaker =>
  breakerState(b, now, limits) === 'half_open' ? { ...b, trial_at: now } : b;

export const onSuccess = (): Breaker => closedBreaker;

export function onFailure(b: Breaker, now: number, limits = BREAKER_LIMITS): Breaker {
  const failures = b.failures + 1;
  return { failures, opened_at: failures >= limits.threshold ? now : null, trial_at: null };
}

/** The call ended without a verdict (cancelled, or the request itself was wrong): a trial is free again. */
export const onNoVerdict = (b: Breaker): Breaker => ({ ...b, trial_at: null });
