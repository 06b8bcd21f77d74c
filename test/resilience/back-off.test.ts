import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backOff } from '../../src/resilience/back-off.ts';

const rule = { base_ms: 100, factor: 2, max_ms: 3_000 };

test('it grows, and random spreads it over the upper half', () => {
  expect([0, 1, 2, 3].map((n) => backOff(n, rule, 0))).toEqual([50, 100, 200, 400]);
  expect(backOff(2, rule, 0.999)).toBe(400);
});

test('it never passes its limit, however many attempts', () => {
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
      const ms = backOff(attempt, rule, random);
      return ms >= 50 && ms <= rule.max_ms;
    }),
  );
});
