// The coder: a function and its test are written in the style of the project, and run.
import { expect, it } from 'vitest';
import { type Story, tell } from '../../support/role-story.ts';

const TEXT = `// Words for titles.

/** First letter large. */
export function capital(text) {
  return text === '' ? '' : text[0].toUpperCase() + text.slice(1);
}

/** First letter of each word large. */
export function title(text) {
  return text.split(' ').map(capital).join(' ');
}
`;
const SLUG = `
/** For addresses: "Crème brûlée!" becomes "creme-brulee". */
export function slug(text) {
  return text
    .normalize('NFKD')
    .replace(/\\p{Mark}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\\p{Letter}\\p{Number}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}
`;
const FIRST_TRY = SLUG.replace("    .normalize('NFC')\n", '');
const TESTS = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from '../src/text.mjs';

test('accents, spaces and signs', () => assert.equal(slug('Crème brûlée!'), 'creme-brulee'));
test('other alphabets stay', () => assert.equal(slug('서울 2026'), '서울-2026'));
test('nothing, and nothing but signs', () => assert.deepEqual([slug(''), slug(' -- ')], ['', '']));
`;
const todo = (...states: string[]) => ({
  items: ['Look at the code', 'Write the test', 'Write slug', 'Run everything'].map((text, i) => ({
    text,
    status: states[i],
  })),
});

const story: Story = {
  input:
    'Add slug(text) to src/text.mjs with tests: lower case, hyphens, no accents, other alphabets stay.',
  files: {
    'package.json': '{"name":"words","type":"module","scripts":{"test":"node --test"}}\n',
    'src/text.mjs': TEXT,
    'test/capital.test.mjs': `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { capital } from '../src/text.mjs';\n\ntest('a word', () => assert.equal(capital('abc'), 'Abc'));\n`,
  },
  steps: {
    coder: [
      {
        sees: ['Add slug(text)'],
        calls: [
          ['todo', todo('in_progress', 'pending', 'pending', 'pending')],
          ['glob', { pattern: '**/*.{mjs,json}' }],
          ['grep', { pattern: 'slug', show: 'files' }],
        ],
      },
      {
        sees: [
          '1. [>] Look at the code',
          'package.json\nsrc/text.mjs\ntest/capital.test.mjs',
          'no match for slug',
        ],
        calls: [
          ['read', { path: 'src/text.mjs', offset: '3', limit: '5' }],
          ['read', { path: 'test/capital.test.mjs' }],
        ],
      },
      {
        sees: [
          '     3\t/** First letter large. */',
          'lines 3-7 of 11; continue with offset 8',
          "test('a word'",
        ],
        calls: [
          ['write', { path: 'test/slug.test.mjs', content: TESTS }],
          // Long enough to be sure that it is in the background.
          ['shell', { command: 'sleep 0.5; node --test 2>&1', background: true }],
          ['edit', { path: 'src/text.mjs', old: "' '", new: '/\\s+/' }],
        ],
      },
      {
        sees: [
          'created test/slug.test.mjs: ',
          'started in the background: pid ',
          'occurs 2 times in src/text.mjs (lines 10, 10); nothing was changed',
        ],
        calls: [
          [
            'shell',
            (sent) => {
              const log = /goes to (\S+\.log)/.exec(sent)?.[1];
              return {
                command: `until grep -q '^.exit code' ${log}; do sleep 0.1; done; tail -n 40 ${log}`,
              };
            },
          ],
        ],
      },
      {
        sees: ['does not provide an export named', '[exit code 1, '],
        says: 'Red, as it should be.',
        calls: [
          [
            'edit',
            {
              path: 'src/text.mjs',
              old: "join(' ');\n}",
              new: `join(' ');\n}\n${FIRST_TRY.trimEnd()}`,
            },
          ],
          ['shell', { command: 'node --test 2>&1', timeout_s: 60 }],
        ],
      },
      {
        // A real mistake: Hangul comes apart with the accents.
        sees: [
          'edited src/text.mjs at line 10',
          '    13\t/** For addresses:',
          'not ok 3 - other alphabets stay',
          '[exit code 1, ',
        ],
        calls: [
          [
            'edit',
            {
              path: 'src/text.mjs',
              old: "  .replace(/\\p{Mark}/gu, '')",
              new: "  .replace(/\\p{Mark}/gu, '')\n    .normalize('NFC')",
            },
          ],
          ['shell', { command: 'node --test 2>&1', timeout_s: 60 }],
          ['todo', todo('done', 'done', 'done', 'done')],
        ],
      },
      {
        sees: [
          "    18\t    .normalize('NFC')",
          /pass 4/,
          /fail 0/,
          '[exit code 0, ',
          '4 of 4 done.',
        ],
        says: '`slug(text)` is there. Files: `src/text.mjs`, `test/slug.test.mjs`. Run: `node --test`. Verified: 4 pass; before the function the new tests failed.',
      },
    ],
  },
};

it('writes the test first, sees it fail, writes the function, and all tests pass', async () => {
  const { changed, at, run } = await tell(story);
  expect(changed()).toEqual(['src/text.mjs', 'test/slug.test.mjs']);
  expect(at('src/text.mjs')).toBe(TEXT + SLUG);
  expect(await run('--test')).toEqual({ code: 0, out: expect.stringContaining('pass 4') });
  const asked = "import { slug } from './src/text.mjs'; console.log(slug('  Ünï – Cödé 東京 '))";
  expect((await run('--input-type=module', '-e', asked)).out).toBe('uni-code-東京\n');
}, 60_000);
