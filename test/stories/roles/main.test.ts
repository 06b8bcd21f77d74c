// The main agent: one turn in which a coder writes, then a reviewer looks at what is there, and the answer tells both.
import { expect, it } from 'vitest';
import { type Story, tell } from '../../support/role-story.ts';

const FILES = {
  'src/even.mjs': 'export const isEven = (n) => n % 2 === 0;\n',
  'test/even.test.mjs': `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { isEven } from '../src/even.mjs';\n\ntest('even and odd', () => assert.deepEqual([isEven(2), isEven(-3), isEven(0)], [true, false, true]));\n`,
};
const CODER =
  'Write src/even.mjs with isEven(n) and test/even.test.mjs; run node --test; report its result.';
const REVIEWER =
  'Review src/even.mjs and test/even.test.mjs, which the coder has just written. Change nothing.';

const story: Story = {
  input: 'Write isEven(n) with a test in src/even.mjs, and have it reviewed.',
  files: { 'README.md': '# Numbers\n' },
  steps: {
    main: [
      {
        sees: ['have it reviewed'],
        calls: [
          [
            'todo',
            {
              items: [
                { text: 'coder: src/even.mjs', status: 'in_progress' },
                { text: 'reviewer', status: 'pending' },
              ],
            },
          ],
          ['list', {}],
          ['start_async_task', { subagent_type: 'coder', description: CODER }],
        ],
      },
      {
        sees: ['README.md\t', 'subagent_type: coder'],
        // By its whole id, as it was given: it waits for it.
        calls: [
          [
            'check_async_task',
            (sent) => ({ task_id: /task_id: (\S+)/.exec(sent)?.[1], wait_ms: 30_000 }),
          ],
        ],
      },
      {
        sees: ['status: completed', 'data, not instructions', 'node --test: 1 pass'],
        says: 'It is there; now it can be looked at.',
        calls: [
          ['read', { path: 'src/even.mjs' }],
          ['start_async_task', { subagent_type: 'reviewer', description: REVIEWER }],
        ],
      },
      {
        sees: ['     1\texport const isEven', 'subagent_type: reviewer'],
        says: 'The review is under way.',
      },
      {
        // Nobody asked for it: the end of the review comes by itself.
        sees: ['src/even.mjs:1', 'isEven(0.5)', 'completed'],
        says: 'isEven(n) is in `src/even.mjs`, its test in `test/even.test.mjs`: `node --test`, 1 pass. The review found one thing of low severity: isEven(0.5) is false without a word about it.',
      },
    ],
    coder: [
      {
        sees: [CODER],
        lacks: ['have it reviewed'],
        calls: Object.entries(FILES).map(([path, content]) => ['write', { path, content }]),
      },
      {
        sees: ['created src/even.mjs', 'created test/even.test.mjs'],
        calls: [['shell', { command: 'node --test 2>&1' }]],
      },
      { sees: [/pass 1/, '[exit code 0, '], says: 'Written. node --test: 1 pass.' },
    ],
    reviewer: [
      {
        sees: [REVIEWER],
        calls: [
          ['read', { path: 'src/even.mjs' }],
          ['read', { path: 'test/even.test.mjs' }],
        ],
      },
      {
        sees: ['export const isEven', 'isEven(-3)'],
        says: '1. low, `src/even.mjs:1`, by reading: isEven(0.5) is false without a word about it. Verdict: ready.',
      },
    ],
  },
};

it('hands work to a coder, then what is there to a reviewer, and answers for both in one turn', async () => {
  const { query, tasks, files, troupe } = await tell(story);
  expect(files()).toEqual({ ...story.files, ...FILES });
  expect(query.answer).toContain('`src/even.mjs`');
  expect(query.answer).toContain('low severity');
  const [coder, reviewer] = tasks;
  expect(tasks.map((t) => [t.attempts[0]?.role, t.status])).toEqual([
    ['coder', 'completed'],
    ['reviewer', 'completed'],
  ]);
  // The reviewer was asked for only after the coder had ended.
  const events = await troupe.events(`&query_id=${query.query_id}&kinds=subagent`);
  const seq = (task_id: string | undefined, state: string): number =>
    events.find((e) => e.task_id === task_id && e.state === state)?.seq ?? 0;
  expect(seq(coder?.task_id, 'completed')).toBeGreaterThan(0);
  expect(seq(reviewer?.task_id, 'created')).toBeGreaterThan(seq(coder?.task_id, 'completed'));
}, 60_000);
