// Before an agent starts more tasks: what they will cost by what earlier ones have cost, and the person who decides.
import { describe, expect, it } from 'vitest';
import type { AskCall, ReviewOf } from '../../src/domain/review.ts';
import type { TaskAnswer } from '../../src/domain/run.ts';
import { tasksHarness } from '../support/tasks-harness.ts';
import type { Work } from '../support/tasks-world.ts';
import { until } from '../support/until.ts';

const { open, start, ended, world } = tasksHarness();

/** A coder that spends so many tokens, at 1 nano-USD each. */
async function spend(envelope: Parameters<Work>[0]['envelope'], tokens: number): Promise<void> {
  const { query_id, thread_id: node_id, run_id } = envelope;
  await world().store.tx(async (t) => {
    const most = { tokens, nano_usd: tokens };
    const row = { query_id, node_id, run_id, day: t.at.slice(0, 10), model: 'm', most };
    await t.spend.settle(await t.spend.reserve(row), { usage: null, estimated: most });
  });
}
const answers: TaskAnswer[] = [];
const COSTS = [100, 900, 300];
let coders = 0;
/** A planner starts two coders, and asks a person when it is told to. */
const fanOut: Work = async ({ envelope, host, signal }) => {
  if (envelope.role === 'reviewer') return 'never';
  if (envelope.role === 'coder') {
    await spend(envelope, COSTS[coders++] ?? 300);
    // The children stay open until both have been asked for.
    if (coders > COSTS.length)
      await until(() => answers.length === 2, 10_000, 'both are asked for');
    return 'coded';
  }
  for (const call_id of ['c1', 'c2']) {
    const call = { op: 'start', call_id, subagent_type: 'coder', description: 'part' } as const;
    let answer = await host.tasks(call, signal);
    if (!answer.ok && answer.approval) {
      const ask: AskCall = { kind: 'approval', call_id, wait_ms: 20_000, ...answer.approval };
      await host.ask(ask, signal);
      answer = await host.tasks(call, signal);
    }
    answers.push(answer);
  }
  await host.tasks({ op: 'join', wait_ms: 20_000 }, signal);
  return 'planned';
};
const estimates = async (query_id: string) =>
  (await world().store.reads.events.after(0, { query_id, kinds: ['notice'] }, 100))
    .filter((e) => e.state === 'fanout_estimate')
    .map((e) => e.data);
const decide = async (decision: string) => {
  const review = (await until(
    async () => (await world().store.reads.reviews.pending())[0] ?? null,
    5_000,
    'somebody is asked',
  )) as ReviewOf<'approval'>;
  await world().reviews.decide(review.review_id, { decision }, 'me');
  return review;
};
async function begin(confirm_above: { tokens: number; usd: number }): Promise<void> {
  answers.length = 0;
  coders = 0;
  open(fanOut, { confirm_above });
  for (let i = 0; i < 3; i++) await ended((await start('coder', 'one before')).task_id);
}
const plan = () =>
  world().tasks.start({ subagent_type: 'planner', description: 'plan', review: 'wait' });

describe('before an agent starts one more task', () => {
  it('the estimate is the median of earlier tasks of the role for each, in an event', async () => {
    await begin({ tokens: 0, usd: 0 });
    const task = await plan();
    await ended(task.task_id);
    expect(await estimates(task.query_id)).toMatchObject([
      { tasks: 2, tokens: 600, usd: 6e-7, unknown: [] },
    ]);
    expect(answers.map((a) => a.ok)).toEqual([true, true]);
  });

  it('a role of which nothing is known has no estimate, and nobody is asked for it', async () => {
    answers.length = 0;
    open(fanOut, { confirm_above: { tokens: 1, usd: 0 } });
    coders = 0;
    const task = await plan();
    expect((await ended(task.task_id)).status).toBe('completed');
    expect(answers[0]?.ok).toBe(true);
  });

  it('above the limit it waits for a person; once is for this start alone', async () => {
    await begin({ tokens: 250, usd: 0 });
    const task = await plan();
    const review = await decide('once');
    expect(review).toMatchObject({
      kind: 'approval',
      request: {
        action: 'start a coder task',
        detail: expect.stringMatching(/1 task at work together: about 300 tokens/),
      },
    });
    await decide('once');
    expect((await ended(task.task_id)).status).toBe('completed');
    expect(answers.map((a) => a.ok)).toEqual([true, true]);
  });

  it('a yes for the session covers the later ones', async () => {
    await begin({ tokens: 0, usd: 1e-7 });
    const task = await plan();
    await decide('session');
    expect((await ended(task.task_id)).status).toBe('completed');
    expect(answers.map((a) => a.ok)).toEqual([true, true]);
  });

  it('a no starts nothing', async () => {
    await begin({ tokens: 250, usd: 0 });
    const task = await plan();
    await decide('deny');
    await decide('deny');
    await ended(task.task_id);
    expect(answers).toMatchObject([
      { ok: false, code: 'spawn_refused', message: expect.stringMatching(/approval of a person/) },
      { ok: false, code: 'spawn_refused' },
    ]);
    expect(await world().store.reads.tasks.children(task.query_id, task.task_id)).toEqual([]);
  });
});
