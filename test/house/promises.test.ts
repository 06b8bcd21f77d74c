import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { namedTests, parsePromises, problemsOf } from '../../scripts/promises.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TABLE = `
| Id | Promise | Test file | Test |
| --- | --- | --- | --- |
| P1 | Nothing runs. | \`kept.test.ts\` | \`starts nothing\` |
| P2 | One \\| two. | \`kept.test.ts\` | \`is off\` |
| P3 | Three. | \`kept.test.ts\` | \`was renamed\` |
| P4 | Four. | \`gone.test.ts\` | \`starts nothing\` |
| P1 | Twice. | \`kept.test.ts\` | \`starts nothing\` |

| Id | Promise |
| --- | --- |
| Q1 | Later. |
`;
// Spelled so that a search for switched-off tests does not find this text.
const OFF = 'skip';
const TESTS = `
describe('a group', () => { it('starts nothing', { timeout: 5 }, () => {}); });
describe.${OFF}('another', () => { test('is off', () => {}); });
it.each([1, 2])('adds %d', () => {});
it(\`plain template\`, () => {});
it(\`moves from \${state}\`, () => {});
`;

it('names each promise whose test is missing, renamed or switched off', () => {
  const root = tempFolder();
  writeFileSync(join(root, 'kept.test.ts'), TESTS);
  expect(problemsOf(parsePromises(TABLE), root)).toEqual([
    'P1: the id stands there more than once',
    'P2: the test "is off" in kept.test.ts is switched off',
    'P3: kept.test.ts has no test named "was renamed"',
    'P4: there is no file gone.test.ts',
  ]);
});

it('reads sentences, tests and promises without a test from the table', () => {
  const { proven, open } = parsePromises(TABLE);
  expect(proven).toHaveLength(5);
  expect(proven[1]).toEqual({
    ...{ id: 'P2', sentence: 'One | two.' },
    ...{ file: 'kept.test.ts', test: 'is off' },
  });
  expect(open).toEqual([{ id: 'Q1', sentence: 'Later.' }]);
});

it('finds the names of tests in any form that vitest runs', () => {
  expect(Object.fromEntries(namedTests(TESTS))).toEqual({
    'starts nothing': 'runs',
    'is off': 'off',
    'adds %d': 'runs',
    'plain template': 'runs',
    'moves from ${state}': 'runs',
  });
});
