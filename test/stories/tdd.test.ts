// Test-driven work on the real server: the runtime runs the tests itself, in every phase, and keeps what it has seen.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Step, scriptedRoles, start, toolAnswers, write } from '../support/scripted-roles.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';
import { ended, notes, type QueryView, say, tasksOf } from '../support/workflow-story.ts';
import { PROPOSAL, TASKS } from '../workflows/documents.ts';

const WAIT = 'I wait for the result.';
const GUIDE =
  '# Test guide\n## Test\n    node --test test/\n## Sources\n- package.json\n## Guesses\n- none\n';
const PASSING = "require('node:test')('sum', () => {});\n";
const TEST = `const { test } = require('node:test');
const assert = require('node:assert');
test('adds', () => assert.equal(require('../src/sum.js').sum(2, 3), 5));
`;
const CODE = 'exports.sum = (a, b) => a + b;\n';
const check = (phase: string): Step => ({ tool: 'check_phase', args: { phase } });

async function lead(steps: readonly Step[]) {
  const root = tempFolder();
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'package.json'), '{}');
  const provider = await scriptedRoles({
    TestPrepare: [write('.cospec/TEST_GUIDE.md', GUIDE), 'the guide is there'],
    TestDesign: (task) => [
      write('test/sum.test.js', task.includes('that can fail') ? TEST : PASSING),
      'the tests are there',
    ],
    TestAndFix: (task) => [
      write('src/sum.js', task.includes('again') ? CODE : 'exports.sum = () => 4;\n'),
      'repaired',
    ],
    TDD: [...steps, 'The cycle is over.'],
  });
  const troupe = await startTroupe({
    env: { ...provider.env, TROUPE_TOPOLOGY: 'single', TROUPE_WORKSPACE_ROOTS: root },
  });
  const query = await ended(
    troupe,
    await troupe.call<QueryView>('POST', '/v1/queries', {
      ...{ input: 'sum adds two numbers', workflow: 'tdd', workdir: root },
    }),
  );
  const receipts = (await notes(troupe, query)).filter((e) => e.state === 'tests_ran');
  const last = provider.of('TDD').at(-1) ?? { messages: [], model: '' };
  return { troupe, query, receipts, said: toolAnswers(last) };
}

describe('TDD', { timeout: 120_000 }, () => {
  it('a red that passes is a violation; the repaired one goes green, with receipts of both runs', async () => {
    const { troupe, query, receipts, said } = await lead([
      start('TestDesign', 'tests for sum'),
      start('TestPrepare', 'write the guide'),
      WAIT,
      start('TestDesign', 'tests for sum'),
      WAIT,
      start('TestAndFix', 'write sum before its tests'),
      check('green'),
      check('red'),
      start('TestDesign', 'tests for sum that can fail'),
      WAIT,
      check('red'),
      start('TestAndFix', 'write sum'),
      WAIT,
      check('green'),
      start('TestAndFix', 'write sum again'),
      WAIT,
      check('green'),
    ]);
    expect(query).toMatchObject({ status: 'completed', answer: 'The cycle is over.' });
    expect(receipts.map(({ data }) => [data.phase, data.verdict, data.exit_code])).toEqual([
      ['red', 'TDD_VIOLATION', 0],
      ['red', 'PASS', 1],
      ['green', 'IMPLEMENTATION_INCOMPLETE', 1],
      ['green', 'PASS', 0],
    ]);
    // Failing, then passing, on the very same tests, by a command that the guide names.
    const [, red, , green] = receipts.map(({ data }) => data);
    expect(red?.hashes).toEqual(green?.hashes);
    expect(green).toMatchObject({ command: 'node --test test/', reason: expect.any(String) });
    expect(String(red?.output)).toContain('src/sum.js');
    const refused = said.filter((text) => /spawn_refused|conflict/.test(text));
    expect(refused).toEqual([
      expect.stringContaining(
        'action required: .cospec/TEST_GUIDE.md is missing; start TestPrepare',
      ),
      expect.stringContaining('starts when the tests have been seen to fail'),
      expect.stringContaining('the phase "green" comes after "red", which has not passed'),
    ]);
    expect((await tasksOf(troupe, query)).map((t) => t.subagent_type)).toEqual([
      ...['TestPrepare', 'TestDesign', 'TestDesign', 'TestAndFix', 'TestAndFix'],
    ]);
  });

  it('no agent writes a receipt: a word in a document is none, and tests that are weakened after red are found out', async () => {
    const { troupe, query, receipts, said } = await lead([
      start('TestPrepare', 'write the guide'),
      WAIT,
      start('TestDesign', 'tests that can fail'),
      WAIT,
      check('red'),
      // The lead itself may not touch tests or code, and its word in a document is no receipt.
      write('test/sum.test.js', PASSING),
      write('.cospec/receipt.md', 'green: PASS'),
      check('refactor'),
      // A tester that weakens the test to pass.
      start('TestDesign', 'tests that pass'),
      WAIT,
      check('green'),
    ]);
    expect(receipts.map(({ data }) => [data.phase, data.verdict])).toEqual([
      ['red', 'PASS'],
      ['green', 'TDD_VIOLATION'],
    ]);
    expect(receipts[1]?.data).toMatchObject({
      exit_code: 0,
      reason: 'tests were changed after they had failed: test/sum.test.js',
    });
    const result = await troupe.call<{ workflow: object }>(
      'GET',
      `/v1/queries/${query.query_id}/result`,
    );
    expect(result.workflow).toMatchObject({
      name: 'tdd',
      left: null,
      tdd: [
        {
          ...{ tdd_id: query.query_id, status: 'open', verdict: 'FAIL', coverage: null },
          phases: { red: { verdict: 'PASS' }, green: { verdict: 'TDD_VIOLATION' }, refactor: null },
        },
      ],
    });
    expect(said.join('\n')).toContain('writes only below .cospec/');
    expect(said.join('\n')).toContain('the phase "refactor" comes after "green"');
  });

  it('below a coder, in role servers of their own: the decision reaches the coder, depth 3 is the last', async () => {
    const root = tempFolder();
    const change = join(root, '.cospec/plan/changes/add-sum');
    mkdirSync(change, { recursive: true });
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, '.cospec/TEST_GUIDE.md'), GUIDE);
    writeFileSync(join(change, 'proposal.md'), PROPOSAL);
    const boxes = TASKS.replace('header line', 'with tests: header line');
    writeFileSync(join(change, 'task.md'), boxes);
    const provider = await scriptedRoles({
      StrictPlan: [
        'Shall I?',
        start('SubCoding', 'Change: add-sum\nTasks: 1.1, 1.2'),
        WAIT,
        'It is built.',
      ],
      SubCoding: [start('TDD', 'sum adds two numbers'), WAIT, 'Done: 1.1, 1.2'],
      TDD: [
        start('TestDesign', 'tests that can fail'),
        WAIT,
        check('red'),
        start('TestAndFix', 'write sum again'),
        WAIT,
        check('green'),
        'PASS',
      ],
      TestDesign: [write('test/sum.test.js', TEST), 'the tests are there'],
      TestAndFix: [write('src/sum.js', CODE), start('TestDesign', 'more'), 'repaired'],
    });
    const troupe = await startTroupe({ env: { ...provider.env, TROUPE_WORKSPACE_ROOTS: root } });
    const query = await troupe.call<QueryView>('POST', '/v1/queries', {
      ...{ input: 'add sum', workflow: 'strict-plan', workdir: root },
    });
    await ended(troupe, query);
    await say(troupe, query, 'now');
    await until(
      async () => (await ended(troupe, query)).answer === 'It is built.',
      60_000,
      'it is built',
    );
    const tasks = await tasksOf(troupe, query);
    expect(tasks.map((t) => [t.subagent_type, t.depth, t.status])).toEqual([
      ['SubCoding', 1, 'completed'],
      ['TDD', 2, 'completed'],
      ['TestDesign', 3, 'completed'],
      ['TestAndFix', 3, 'completed'],
    ]);
    const coder = provider.of('SubCoding')[0]?.messages.find((m) => m.role === 'user');
    expect(coder?.content).toContain('Test-driven, as the runtime has decided: 1.1');
    const log = await notes(troupe, query);
    expect(
      log
        .filter((e) => e.state === 'tests_ran')
        .map((e) => [e.data.phase, e.data.verdict, e.task_id === tasks[1]?.task_id]),
    ).toEqual([
      ['red', 'PASS', true],
      ['green', 'PASS', true],
    ]);
    const [refused] = await notes(troupe, query, 'security');
    expect(refused?.data).toMatchObject({ parent: 'TestAndFix', depth: 3, status: 'LEAF_NODE' });
  });
});
