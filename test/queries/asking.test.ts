// A query whose agents ask a person: when it counts as waiting, and how late answers arrive.
import { afterEach, describe, expect, it } from 'vitest';
import type { Query } from '../../src/domain/query.ts';
import type { RunHost } from '../../src/domain/run.ts';
import { createQueriesWorld, type Main } from '../support/queries-world.ts';
import type { Work } from '../support/tasks-world.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

let world: ReturnType<typeof createQueriesWorld>;
afterEach(() => world.close());
const open = (main: Main, work?: Work) => {
  world = createQueriesWorld(tempFolder(), main, work);
};
async function ask(host: RunHost, signal: AbortSignal, call_id = 'c1'): Promise<string> {
  for (;;) {
    const asked = { question: 'Which?', options: ['a', 'b'], wait_ms: 5_000 };
    const answer = await host.ask({ kind: 'question', call_id, ...asked }, signal);
    if (signal.aborted) throw new Error('aborted');
    if (!answer.ok) return answer.message;
    if (answer.state === 'closed') return answer.text;
  }
}
const query = (review: Query['options']['review']) =>
  world.queries.create({ input: 'x' }, { review });
const pending = () =>
  until(
    async () => {
      const [first] = await world.store.reads.reviews.pending();
      return first ?? null;
    },
    5_000,
    'a question',
  );
const becomes = (id: string, status: Query['status']) =>
  until(async () => (await world.queries.get(id)).status === status, 5_000, status);
const states = async (query_id: string) =>
  (await world.store.reads.events.after(0, { query_id, kinds: ['query'] }, 100)).map(
    (e) => e.state,
  );
const start = (host: RunHost, signal: AbortSignal) =>
  host.tasks({ op: 'start', call_id: 's1', subagent_type: 'coder', description: 'y' }, signal);
const join = async (host: RunHost, signal: AbortSignal) => {
  for (;;) {
    const answer = await host.tasks({ op: 'join', wait_ms: 1_000 }, signal);
    if (!answer.ok || answer.op !== 'join' || answer.open.length === 0 || signal.aborted)
      return answer.ok && answer.op === 'join' ? (answer.ended[0]?.result ?? '') : '';
  }
};

describe('a query', () => {
  it('waits while its main agent waits for a person, and runs on with the answer', async () => {
    open(({ host, signal }) => ask(host, signal));
    const { query_id } = await query('wait');
    const review = await pending();
    expect(review).toMatchObject({ path: ['main agent'], task_id: null, context: 'x' });
    await becomes(query_id, 'waiting');
    await world.reviews.decide(review.review_id, { answer: 'a' }, 'me');
    expect(await world.ended(query_id)).toMatchObject({
      status: 'completed',
      answer: 'answer (option 1): a',
    });
    const seen = (await states(query_id)).filter((state) => state !== 'running');
    expect(seen).toEqual(['queued', 'waiting', 'completed']);
  });

  it('waits when its main agent waits for a task that waits for a person, not before', async () => {
    let go = (): void => {};
    const hold = new Promise<void>((resolve) => {
      go = resolve;
    });
    open(
      async ({ host, signal }) => {
        await start(host, signal);
        await hold;
        return join(host, signal);
      },
      ({ host, signal }) => ask(host, signal),
    );
    const { query_id } = await query('wait');
    const review = await pending();
    expect(review.path).toEqual(['main agent', 'coder agent #1']);
    await until(
      async () => world.tasks.waitingOf(review.agent_id ?? '') === 'human',
      5_000,
      'the task waits',
    );
    expect((await world.queries.get(query_id)).status).toBe('running');
    go();
    await becomes(query_id, 'waiting');
    await world.reviews.decide(review.review_id, { option: 2 }, 'me');
    expect(await world.ended(query_id)).toMatchObject({ answer: 'answer (option 2): b' });
  });

  it('keeps nobody from starting while it waits: other queries have its place', async () => {
    open(async ({ query: { options }, host, signal }) =>
      options.review === 'wait' ? ask(host, signal) : 'done',
    );
    // The world runs two queries at once.
    const waiting = [await query('wait'), await query('wait')];
    for (const { query_id } of waiting) await becomes(query_id, 'waiting');
    expect(await world.ended((await query('off')).query_id)).toMatchObject({ answer: 'done' });
  });

  it('that is cancelled while it waits takes its question out of the inbox', async () => {
    open(({ host, signal }) => ask(host, signal));
    const { query_id } = await query('wait');
    const { review_id } = await pending();
    await becomes(query_id, 'waiting');
    await world.queries.cancel(query_id, 'no longer wanted');
    expect(await world.reviews.get(review_id)).toMatchObject({ status: 'withdrawn' });
    expect((await world.queries.get(query_id)).status).toBe('cancelled');
  });

  it('that waits for nobody goes on at once; late answers reach its agents as messages', async () => {
    let finish = (): void => {};
    const hold = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const told: string[] = [];
    open(
      async ({ host, signal, steering }) => {
        told.push(await ask(host, signal));
        await start(host, signal);
        await hold;
        return steering.take().join();
      },
      async ({ host, signal }) => {
        told.push(await ask(host, signal));
        await hold;
        return 'done';
      },
    );
    const { query_id } = await query('defer');
    await until(() => told.length === 2, 5_000, 'both went on');
    expect(told[0]).toMatch(/^Nobody is waited for in this query/);
    expect((await world.queries.get(query_id)).status).toBe('running');
    for (const { review_id } of await world.store.reads.reviews.pending(query_id))
      await world.reviews.decide(review_id, { answer: 'b' }, 'me');
    await until(() => world.steered.length === 1, 5_000, 'the message to the task');
    expect(world.steered[0]).toBe('Your question "Which?" has been answered by a person: b');
    const kept = async () => (await world.store.reads.loops.ofQuery(query_id))[0]?.metadata.inbox;
    await until(async () => (await kept()) !== undefined, 5_000, 'the message to the main agent');
    finish();
    expect((await world.ended(query_id)).answer).toContain('has been answered by a person: b');
  });
});
