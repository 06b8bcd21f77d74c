// The budgets of tasks: model steps that are left to children, where a resumed run stands, what going on costs.
import { describe, expect, it } from 'vitest';
import { noUsage } from '../../src/domain/message.ts';
import { childIterations, iterationsOf } from '../../src/tasks/budget.ts';
import { never, tasksHarness } from '../support/tasks-harness.ts';
import type { Work } from '../support/tasks-world.ts';
import { until } from '../support/until.ts';

const { open, start, ended, world } = tasksHarness();

describe('the model steps of a child', () => {
  it('are half of those of the agent above, at least ten, and never more than that agent has', () => {
    open(async () => 'nobody works here');
    expect([100, 50, 25, 12, 8, 1].map((n) => childIterations(n, 10))).toEqual([
      50, 25, 12, 10, 8, 1,
    ]);
    expect(childIterations(9, 1)).toBe(4);
    expect([iterationsOf(30, 100, 10), iterationsOf(300, 100, 10)]).toEqual([30, 100]);
  });

  it('follow the tree: 100 above, 50 for its child, 25 for the child of that one', async () => {
    const tasks = open(async ({ envelope, host, signal }) => {
      if (envelope.role !== 'planner') return 'done';
      const child = { subagent_type: 'coder', description: 'part' };
      await host.tasks({ op: 'start', call_id: 'c', ...child }, signal);
      await host.tasks({ op: 'join', wait_ms: 20_000 }, signal);
      return 'all done';
    });
    await ended((await start('planner', 'plan')).task_id);
    expect(tasks.started.map((e) => [e.role, e.limits.max_iterations])).toEqual([
      ['planner', 50],
      ['coder', 25],
    ]);
  });
});

const answered = (content: string, step: number) => ({
  ...{ step, delivered: [] },
  messages: [{ role: 'assistant' as const, content }],
});
/** Counts its steps and puts an answer on the thread, then hangs: the first time. */
const cutOff =
  (steps: number): Work =>
  async ({ envelope, host, signal }) => {
    const { query_id, thread_id: node_id, run_id, begun } = envelope;
    if (begun.iterations > 0) return 'done';
    for (let i = 0; i < steps; i++)
      await world().store.soon((t) => t.spend.step({ query_id, node_id, run_id }));
    await host.step(answered('half', envelope.first_step), []);
    return never(signal);
  };

describe('a run that goes on', () => {
  it('after the crash of its role server knows how many model steps it has used', async () => {
    const tasks = open(cutOff(3));
    const { task_id } = await start('coder', 'long');
    await until(
      async () => (await tasks.store.reads.checkpoints.thread(task_id)).messages.length === 2,
      5_000,
      'the checkpoint',
    );
    tasks.crash('coder');
    const task = await ended(task_id);
    expect(tasks.started.map((e) => e.begun)).toEqual([
      { iterations: 0, answers: 0 },
      { iterations: 3, answers: 1 },
    ]);
    expect(task.iterations).toBe(3);
    expect((await tasks.store.reads.queries.get(task.query_id))?.iterations).toBe(3);
  });

  it('is charged for what it had used before the crash, too', async () => {
    const charged = { ...noUsage(), input_tokens: 70, output_tokens: 7, model_calls: 7 };
    const tasks = open(async ({ envelope, host, signal }) => {
      const { query_id, thread_id: node_id, run_id, first_step } = envelope;
      if (first_step > 0) return { usage: { ...noUsage(), input_tokens: 10, model_calls: 1 } };
      await tasks.store.tx(async (t) => {
        const most = { tokens: 99, nano_usd: 0 };
        const row = { query_id, node_id, run_id, day: '2026-01-01', model: 'm', most };
        const estimated = { tokens: 0, nano_usd: 0 };
        await t.spend.settle(await t.spend.reserve(row), { usage: charged, estimated });
      });
      await host.step(answered('half', first_step), []);
      return never(signal);
    });
    const { task_id } = await start('coder', 'long');
    await until(
      async () => (await tasks.store.reads.checkpoints.thread(task_id)).messages.length === 2,
      5_000,
      'the checkpoint',
    );
    tasks.crash('coder');
    expect((await ended(task_id)).usage).toEqual(charged);
  });

  const withThread =
    (text: string): Work =>
    async ({ envelope, host }) => {
      await host.step(answered(text, envelope.first_step), []);
      return 'done';
    };
  const events = async (task_id: string) =>
    (await world().store.reads.events.after(0, { task_id }, 100)).filter(
      (e) => e.kind === 'notice' || e.state === 'running',
    );

  it('after an update says first what each model call will cost', async () => {
    open(withThread('word '.repeat(1_000)));
    const { task_id } = await start('coder', 'write it');
    expect((await ended(task_id)).resume_estimate).toBeNull();
    await world().tasks.message(task_id, 'and a test', 'interrupt');
    const { resume_estimate } = await ended(task_id);
    const { tokens_per_turn = 0, usd_per_turn } = resume_estimate ?? {};
    expect(tokens_per_turn).toBeGreaterThan(1_000);
    expect(tokens_per_turn).toBeLessThan(2_000);
    expect(usd_per_turn).toBeCloseTo((tokens_per_turn * 2) / 1e6, 12);
    const [first, estimate, second] = await events(task_id);
    expect([first?.state, estimate?.state, second?.state]).toEqual([
      'running',
      'resume_estimate',
      'running',
    ]);
    expect(estimate?.data).toMatchObject({ tokens_per_turn, summarised_first: false });
    expect(world().started.at(-1)?.limits.compact).toBeNull();
  });

  it('above the limit is told to summarise its older turns first', async () => {
    open(withThread('word '.repeat(1_000)), { resume_tokens: 900 });
    const { task_id } = await start('coder', 'write it');
    await ended(task_id);
    await world().tasks.retry(task_id);
    await ended(task_id);
    expect(world().started.map((e) => e.limits.compact)).toEqual([
      null,
      { at_tokens: 600, by_model: false },
    ]);
    expect((await events(task_id)).find((e) => e.state === 'resume_estimate')).toMatchObject({
      detail: expect.stringMatching(/resume_tokens is 900: older turns are summarised first/),
      data: { summarised_first: true },
    });
  });
});
