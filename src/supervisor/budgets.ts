// The restart budget of each role, and what everybody should know of it: parked, unparked, when to try again.
import type { NewEvent } from '../domain/event.ts';
import type { Clock } from '../domain/ports.ts';
import {
  afterQuickExit,
  type Budget,
  type BudgetRules,
  freshBudget,
  mayStart,
  type StartVerdict,
} from '../resilience/restart-budget.ts';

export type BudgetDeps = {
  rules: BudgetRules;
  clock: Clock;
  random: () => number;
  emit: (event: NewEvent) => void;
  /** A role that had to pause may start now. */
  onDue: () => void;
};

export function createBudgets({ rules, clock, random, emit, onDue }: BudgetDeps) {
  const budgets = new Map<string, Budget>();
  const timers = new Map<string, NodeJS.Timeout>();
  const lastWords = new Map<string, string>();
  const of = (role: string): Budget => budgets.get(role) ?? freshBudget;
  const say = (role: string, state: 'parked' | 'unparked', detail: string, data: object = {}) =>
    emit({ kind: 'server', state, role, detail, data: { ...data } });

  function forget(role: string): void {
    const was = of(role).parked_until;
    budgets.delete(role);
    lastWords.delete(role);
    clearTimeout(timers.get(role));
    timers.delete(role);
    if (was !== null) say(role, 'unparked', `the ${role} role may start again`);
  }
  function wakeAt(role: string, until: number): void {
    clearTimeout(timers.get(role));
    const timer = setTimeout(onDue, Math.max(1, Math.ceil(until - clock.mono())));
    timer.unref();
    timers.set(role, timer);
  }

  return {
    /** A server of the role ended quickly. `words`: how, for people. */
    quickExit(role: string, reason: string, words: string): void {
      lastWords.set(role, words);
      const budget = afterQuickExit(of(role), clock.mono(), rules, random());
      budgets.set(role, budget);
      const exits = budget.quick_exits.length;
      wakeAt(role, budget.parked_until ?? budget.pause_until);
      if (budget.parked_until === null) return;
      const text = `the ${role} role is parked after ${exits} quick exits; the last: ${reason}`;
      say(role, 'parked', text, { reason, exits, park_ms: rules.park_ms });
    },
    /** A server has been stable, or somebody wants another try: all is forgotten. */
    forget,
    /** May a server of the role start now? A parked role whose time is over is unparked by the question. */
    verdict(role: string): StartVerdict {
      const verdict = mayStart(of(role), clock.mono());
      if (verdict.may && verdict.unparked) forget(role);
      // Whoever is refused is told when it is worth asking again, even if a timer has fired a moment too early.
      if (!verdict.may) wakeAt(role, verdict.until);
      return verdict;
    },
    /** How the last server of the role that ended quickly did so. */
    lastWords: (role: string): string => lastWords.get(role) ?? '',
    parked: (role: string): boolean => (of(role).parked_until ?? 0) > clock.mono(),
    close(): void {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
