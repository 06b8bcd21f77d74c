import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { missingTests, withStates } from '../../scripts/reliability-table.ts';

const page = readFileSync('docs/reliability.md', 'utf8');

it('docs/reliability.md names only tests that exist and run', () => {
  expect(missingTests(page)).toEqual([]);
  const wrong = '| x | y | `test/house/reliability.test.ts`: `no such test` | holds |';
  expect(missingTests(wrong)).toHaveLength(1);
});

it('docs/reliability.md says of each state what its tests prove', async () => {
  expect(await withStates(page)).toBe(page);
});
