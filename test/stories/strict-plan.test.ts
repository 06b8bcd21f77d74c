// StrictPlan on the real server: explore, ask, propose, let the user decide, build, tick. The runtime starts no coder
// before the user's "now", and believes no tick that no run has earned.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedRoles, start, toolAnswers, write } from '../support/scripted-roles.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';
import { ask, ended, notes, type QueryView, say, tasksOf } from '../support/workflow-story.ts';
import { PROPOSAL, TASKS } from '../workflows/documents.ts';

const at = (file: string) => `.cospec/plan/changes/add-export/${file}`;
const WAIT = 'I wait for the result.';
const coder = (tasks: string) => start('SubCoding', `Change: add-export\nTasks: ${tasks}`);
const DECIDE = {
  tool: 'ask_user',
  args: { question: 'The proposal is ready. Implement now or later?', options: ['now', 'later'] },
};
type Review = { review_id: string; status: string; request: { question: string } };

/** Answers the question that is open, as soon as it is. */
async function answer(troupe: Troupe, text: string): Promise<void> {
  const review = await until(
    async () =>
      (await troupe.call<{ data: Review[] }>('GET', '/v1/reviews?status=pending')).data[0],
    40_000,
    'the question is in the inbox',
  );
  await troupe.call('POST', `/v1/reviews/${review.review_id}`, { answer: text });
}
const text = (query: QueryView, path: string) => readFileSync(join(query.workdir, path), 'utf8');

describe('StrictPlan', { timeout: 120_000 }, () => {
  it('explores, proposes, lets the user decide, builds and ticks', async () => {
    let checked = '';
    const provider = await scriptedRoles({
      QuickExplore: ['src/export.ts:1 is where rows are'],
      TaskCheck: [
        (request) => {
          checked = request.messages.find((m) => m.role === 'user')?.content ?? '';
          return { text: 'no findings' };
        },
      ],
      SubCoding: (task) =>
        task.includes('Tasks: 1.1')
          ? [write('src/export.ts', 'export const toCsv = 1;\n'), 'Done: 1.1']
          : [write('src/page.ts', '\n'), 'Done: 1.2'],
      StrictPlan: [
        start('QuickExplore', 'where are rows made'),
        start('QuickExplore', 'Where are  rows made'),
        start('QuickExplore', 'which pages show the button'),
        WAIT,
        write(at('proposal.md'), PROPOSAL),
        write('src/export.ts', 'my own code'),
        coder('1.1'),
        // Ticked by its own hand: the runtime takes it back.
        write(at('task.md'), TASKS.replace('[ ] 1.2', '[x] 1.2')),
        start('TaskCheck', 'Change: add-export'),
        WAIT,
        coder('1.1'),
        DECIDE,
        coder('1.2'),
        coder('1.1'),
        WAIT,
        coder('1.2'),
        WAIT,
        'Both tasks are built.',
      ],
    });
    const troupe = await startTroupe({ env: { ...provider.env, TROUPE_TOPOLOGY: 'single' } });
    const { query_id } = await troupe.call<QueryView>('POST', '/v1/queries', {
      ...{ input: 'tables should be exported', workflow: 'strict-plan', review: 'wait' },
    });
    const query = await troupe.call<QueryView>('GET', `/v1/queries/${query_id}`);
    await answer(troupe, 'now');
    expect(await ended(troupe, query)).toMatchObject({
      status: 'completed',
      answer: 'Both tasks are built.',
    });
    expect((await tasksOf(troupe, query)).map((t) => t.subagent_type)).toEqual([
      ...['QuickExplore', 'QuickExplore', 'TaskCheck', 'SubCoding', 'SubCoding'],
    ]);
    const said = toolAnswers(provider.of('StrictPlan').at(-1) ?? { messages: [], model: '' });
    const refused = said.filter((t) => t.includes('spawn_refused'));
    expect(refused).toEqual([
      expect.stringContaining('has the same scope'),
      expect.stringContaining('no coder starts before the proposal is in order'),
      expect.stringContaining('the user has not decided yet'),
      expect.stringContaining('task 1.2 depends on 1.1, which is not done'),
    ]);
    expect(said.join('\n')).toContain('writes only below .cospec/');
    expect(checked).toContain("Findings of the runtime's own check:\n- none");
    expect(text(query, 'src/export.ts')).toBe('export const toCsv = 1;\n');
    expect(text(query, at('task.md'))).toBe(TASKS.replaceAll('[ ]', '[x]'));
    const ticks = (await notes(troupe, query)).filter((e) => e.state === 'ticked');
    expect(ticks.map((e) => [e.data.ticked, e.data.cleared])).toEqual([
      [[], ['1.2']],
      [['1.1'], []],
      [['1.2'], []],
    ]);
    const decided = (await notes(troupe, query)).filter((e) => e.state === 'tdd_decided');
    expect(decided.map((e) => [e.data.task, e.data.tdd])).toEqual([
      ['1.1', false],
      ['1.2', false],
    ]);
  });

  it('"later" starts nobody; another query names the unfinished proposal and goes on with it', async () => {
    const root = tempFolder();
    mkdirSync(join(root, at('')), { recursive: true });
    writeFileSync(join(root, at('proposal.md')), PROPOSAL);
    writeFileSync(join(root, at('task.md')), TASKS.replace('[ ] 1.1', '[x] 1.1'));
    let told = '';
    const provider = await scriptedRoles({
      SubCoding: [write('src/page.ts', '\n'), 'Done: 1.2'],
      StrictPlan: [
        (request) => {
          told = request.messages[0]?.content ?? '';
          return { text: 'There is an unfinished proposal.' };
        },
        coder('1.2'),
        'Then later.',
        coder('1.1'),
        coder('1.2'),
        WAIT,
        'It is finished.',
      ],
    });
    const troupe = await startTroupe({
      env: { ...provider.env, TROUPE_TOPOLOGY: 'single', TROUPE_WORKSPACE_ROOTS: root },
    });
    const input = { input: 'go on', workflow: 'strict-plan', workdir: root };
    const query = await troupe.call<QueryView>('POST', '/v1/queries', input);
    expect(await ended(troupe, query)).toMatchObject({ status: 'completed' });
    expect(told).toContain('Unfinished proposals: add-export (1 of 2 tasks done)');
    const turn = async (words: string, last: string) => {
      await say(troupe, query, words);
      await until(async () => (await ended(troupe, query)).answer === last, 40_000, last);
    };
    await turn('later', 'Then later.');
    expect(await tasksOf(troupe, query)).toHaveLength(0);
    await turn('Now, please.', 'It is finished.');
    expect((await tasksOf(troupe, query)).map((t) => t.subagent_type)).toEqual(['SubCoding']);
    expect(readFileSync(join(root, at('task.md')), 'utf8')).toBe(TASKS.replaceAll('[ ]', '[x]'));
  });

  it('a coder that fails is tried twice more; then the user decides', async () => {
    const provider = await scriptedRoles({
      SubCoding: [{ tool: 'report_blocked', args: { reason: 'the file is locked' } }],
      StrictPlan: [
        write(at('proposal.md'), PROPOSAL),
        write(at('task.md'), TASKS),
        'Shall I?',
        ...[1, 2, 3].flatMap(() => [coder('1.1'), WAIT]),
        coder('1.1'),
        'It cannot be built.',
      ],
    });
    const troupe = await startTroupe({ env: { ...provider.env, TROUPE_TOPOLOGY: 'single' } });
    const query = await ask(troupe, 'strict-plan', 'tables should be exported');
    await ended(troupe, query);
    await say(troupe, query, 'now');
    const paused = await until(
      async () => {
        const seen = await ended(troupe, query);
        return seen.answer === 'It cannot be built.' && seen;
      },
      40_000,
      'the second turn ends',
    );
    expect(paused).toMatchObject({ status: 'degraded', error: { code: 'stage_failed' } });
    expect(paused.error?.message).toContain('the file is locked');
    expect(await tasksOf(troupe, query)).toHaveLength(3);
    expect(text(paused, at('task.md'))).toBe(TASKS);
  });
});
