import { expect, it } from 'vitest';
import { quantile, rowsOf, tableOf } from '../../bench/measure.ts';

const ms = (value: number, name = 'POST → result') => ({ name, unit: 'ms' as const, value });

it('compares each side with the floor of the same run', () => {
  const samples = [10, 20, 30].flatMap((value) => [
    { side: 'floor', readings: [ms(value)] },
    { side: 'troupe', readings: [ms(value * 3), ms(value * 2, 'POST → running')] },
  ]);
  const rows = rowsOf(samples, 'floor');
  expect(
    rows.map(({ side, measure, n, median, ratio }) => [side, measure, n, median, ratio]),
  ).toEqual([
    ['floor', 'POST → result', 3, 20, 1],
    ['troupe', 'POST → result', 3, 60, 3],
    // a measure that the floor does not have is compared with its first one
    ['troupe', 'POST → running', 3, 40, 2],
  ]);
  expect(tableOf(rows).split('\n')).toHaveLength(4);
});

it('takes the slow end for p90, also where more is better', () => {
  const values = Array.from({ length: 10 }, (_, at) => at + 1);
  expect(quantile(values, 0.5)).toBe(6);
  const slowEnd = (unit: 'ms' | 'per s') =>
    rowsOf(
      values.map((value) => ({ side: 'a', readings: [{ name: 'm', unit, value }] })),
      'a',
    )[0]?.p90;
  expect(slowEnd('ms')).toBe(10);
  expect(slowEnd('per s')).toBe(2);
});
