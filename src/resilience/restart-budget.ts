// How often a role server may end quickly before its role is parked. Pure: takes `now`, keeps no clock.
import { type BackOff, backOff } from './back-off.ts';

export type BudgetRules = {
  /** So many quick exits within the window park the role. */
  max_exits: number;
  window_ms: number;
  pause: BackOff;
  /** A parked role may try again after this long. */
  park_ms: number;
};
export const defaultBudgetRules: BudgetRules = {
  max_exits: 5,
  window_ms: 60_000,
  pause: { base_ms: 250, factor: 2, max_ms: 10_000 },
  park_ms: 300_000,
};

/** Times are monotonic milliseconds. */
export type Budget = {
  readonly quick_exits: readonly number[];
  readonly pause_until: number;
  readonly parked_until: number | null;
};
export const freshBudget: Budget = { quick_exits: [], pause_until: 0, parked_until: null };

/** A server ended before it was ready or shortly after. `random` in [0, 1). */
export function afterQuickExit(
  budget: Budget,
  now: number,
  rules: BudgetRules,
  random: number,
): Budget {
  const recent = [...budget.quick_exits.filter((at) => now - at < rules.window_ms), now];
  if (recent.length >= rules.max_exits)
    return { quick_exits: recent, pause_until: now, parked_until: now + rules.park_ms };
  const pause = backOff(recent.length - 1, rules.pause, random);
  return { quick_exits: recent, pause_until: now + pause, parked_until: null };
}

export type StartVerdict =
  | { may: true; unparked: boolean }
  | { may: false; why: 'pause' | 'parked'; until: number };

export function mayStart(budget: Budget, now: number): StartVerdict {
  if (budget.parked_until !== null)
    return now < budget.parked_until
      ? { may: false, why: 'parked', until: budget.parked_until }
      : { may: true, unparked: true };
  if (now < budget.pause_until) return { may: false, why: 'pause', until: budget.pause_until };
  return { may: true, unparked: false };
}
