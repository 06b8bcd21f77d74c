import { expect, test } from 'vitest';
import {
  afterQuickExit,
  type Budget,
  freshBudget,
  mayStart,
  defaultBudgetRules as rules,
} from '../../src/resilience/restart-budget.ts';

const exitsAt = (...times: number[]): Budget =>
  times.reduce<Budget>((budget, at) => afterQuickExit(budget, at, rules, 0), freshBudget);

test('a role without quick exits may start', () => {
  expect(mayStart(freshBudget, 0)).toEqual({ may: true, unparked: false });
});

test('each quick exit makes the pause longer', () => {
  const pauses = [1, 2, 3, 4].map((n) => {
    const budget = exitsAt(...Array.from({ length: n }, () => 1_000));
    return budget.pause_until - 1_000;
  });
  expect(pauses).toEqual([125, 250, 500, 1_000]);
  const budget = exitsAt(1_000);
  expect(mayStart(budget, 1_100)).toEqual({ may: false, why: 'pause', until: 1_125 });
  expect(mayStart(budget, 1_125)).toEqual({ may: true, unparked: false });
});

test('the fifth within a minute parks the role, and time unparks it', () => {
  const parked = exitsAt(0, 10_000, 20_000, 30_000, 59_000);
  expect(mayStart(parked, 60_000)).toEqual({ may: false, why: 'parked', until: 359_000 });
  expect(mayStart(parked, 359_000)).toEqual({ may: true, unparked: true });
});

test('exits that lie further apart than the window do not add up', () => {
  const budget = exitsAt(0, 20_000, 40_000, 60_000, 80_000, 100_000);
  expect(budget.parked_until).toBeNull();
  expect(budget.quick_exits).toHaveLength(3);
});
