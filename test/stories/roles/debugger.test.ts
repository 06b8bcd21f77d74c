// The debugger: a planted bug is reproduced, found, and fixed where it belongs; the test that was red is green.
import { expect, it } from 'vitest';
import { repository, runIn, type Story, tell } from '../../support/role-story.ts';

const PAGES = `// Splits lists into pages.

export function pageCount(total, size) {
\tif (size < 1) throw new RangeError('size must be at least 1');
\treturn Math.floor(total / size);
}

export function pageOf(items, page, size) {
\tconst from = (page - 1) * size;
\treturn items.slice(from, from + size);
}
`;
const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageCount, pageOf } from '../src/pages.mjs';

test('a full last page', () => assert.equal(pageCount(20, 10), 2));
test('a last page that is not full', () => assert.equal(pageCount(21, 10), 3));
test('the second page', () => assert.deepEqual(pageOf([1, 2, 3], 2, 2), [3]));
`;
const NEW_CASE = "test('nothing has no page', () => assert.equal(pageCount(0, 10), 0));\n";

const story: Story = {
  input: 'npm test is red since this morning. Find out why and fix it.',
  files: {
    'package.json': '{"name":"lists","type":"module","scripts":{"test":"node --test"}}\n',
    'src/pages.mjs': PAGES,
    'src/list.mjs':
      "import { pageCount } from './pages.mjs';\nexport const last = (n) => pageCount(n, 10);\n",
    'test/pages.test.mjs': TEST,
  },
  steps: {
    debugger: [
      {
        sees: ['npm test is red'],
        says: 'First I want to see it fail.',
        calls: [
          [
            'todo',
            {
              items: [
                { text: 'See it fail', status: 'in_progress' },
                { text: 'Find the cause', status: 'pending' },
                { text: 'Fix and prove it', status: 'pending' },
              ],
            },
          ],
          ['shell', { command: 'node --test 2>&1', timeout_s: 60 }],
        ],
      },
      {
        sees: [
          '1. [>] See it fail',
          /not ok \d+ - a last page that is not full|✖ a last page that is not full/,
          /2 !== 3/,
          /\[exit code 1, \d+\.\d s\]/,
        ],
        calls: [
          ['grep', { pattern: 'pageCount', glob: '*.mjs' }],
          ['read', { path: 'src/page.mjs' }],
        ],
      },
      {
        sees: [
          'src/list.mjs:1:import { pageCount }',
          'src/pages.mjs:3:export function pageCount',
          'did you mean "src/pages.mjs"?',
        ],
        calls: [['read', { path: 'src/pages.mjs', offset: 3, limit: 4 }]],
      },
      {
        sees: ['     5\t\treturn Math.floor(total / size);', 'lines 3-6 of 11'],
        // The tab of the file became spaces on the way: a mistake that models make.
        calls: [
          [
            'edit',
            {
              path: 'src/pages.mjs',
              old: "at least 1');\n  return Math.floor(total / size);",
              new: "at least 1');\n  return Math.ceil(total / size);",
            },
          ],
        ],
      },
      {
        sees: [
          'nothing was changed',
          'other white space',
          '     5\t\treturn Math.floor(total / size);',
        ],
        calls: [
          [
            'edit',
            {
              path: 'src/pages.mjs',
              old: 'Math.floor(total / size)',
              new: 'Math.ceil(total / size)',
            },
          ],
          [
            'edit',
            {
              path: 'test/pages.test.mjs',
              old: "test('the second page'",
              new: `${NEW_CASE}test('the second page'`,
            },
          ],
        ],
      },
      {
        sees: [
          'edited src/pages.mjs at line 5',
          '     5\t\treturn Math.ceil(total / size);',
          'edited test/pages.test.mjs at line 7',
        ],
        calls: [
          ['shell', { command: 'set -o pipefail; npm test 2>&1 | tail -n 12' }],
          [
            'todo',
            {
              items: [
                { text: 'See it fail', status: 'done' },
                { text: 'Find the cause', status: 'done' },
                { text: 'Fix and prove it', status: 'done' },
              ],
            },
          ],
        ],
      },
      {
        sees: [/pass 4/, /fail 0/, /\[exit code 0, /, '3 of 3 done.'],
        says: 'The last page was not counted when it is not full.\nCause: `src/pages.mjs:5` rounded down.\nChange: `Math.ceil`; a case for an empty list beside it.\nVerified: `npm test`, 4 pass (before: 1 of 3 failed). `src/list.mjs` uses the same function and is right with it.',
      },
    ],
  },
};

it('finds the planted bug by running the tests, fixes its cause alone, and the red test is green', async () => {
  expect((await runIn(repository(story.files), '--test')).code).toBe(1);
  const { result, at, changed, run } = await tell(story);
  expect(changed()).toEqual(['src/pages.mjs', 'test/pages.test.mjs']);
  expect(at('src/pages.mjs')).toBe(PAGES.replace('Math.floor', 'Math.ceil'));
  expect(result).toContain('`src/pages.mjs:5`');
  expect(await run('--test')).toEqual({ code: 0, out: expect.stringContaining('pass 4') });
}, 60_000);
