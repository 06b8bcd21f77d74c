// The inbox between agents and people, over the real tasks room: who waits, who is told what, and what ends a review.
import { describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../src/domain/query.ts';
import type { AskAnswer } from '../../src/domain/review.ts';
import type { RunHost } from '../../src/domain/run.ts';
import { never, tasksHarness } from '../support/tasks-harness.ts';
import type { Work, World } from '../support/tasks-world.ts';
import { until } from '../support/until.ts';

const { open, world, ended } = tasksHarness();

const call = { call_id: 'c1', kind: 'question', question: 'Which?', options: ['a', 'b'] } as const;
const approve = {
  ...{ call_id: 'c2', kind: 'approval', action: 'push', detail: 'git push -f', subject: 'push' },
} as const;

/** Asks as the tool does: again and again until it is closed. */
async function ask(
  host: RunHost,
  signal: AbortSignal,
  what: typeof call | typeof approve = call,
): Promise<Exclude<AskAnswer, { state: 'pending' }>> {
  for (;;) {
    const answer = await host.ask({ ...what, options: ['a', 'b'], wait_ms: 100 } as never, signal);
    if (signal.aborted) throw new Error('aborted');
    if (!answer.ok || answer.state !== 'pending') return answer;
  }
}
const textOf = (answer: AskAnswer): string =>
  answer.ok && answer.state === 'closed' ? answer.text : JSON.stringify(answer);

/** Asks when it is told so, and answers with what it heard. */
const asking: Work = async ({ envelope, host, signal }) => {
  const said = envelope.messages[0]?.content ?? '';
  if (said.startsWith('approve')) return JSON.stringify(await ask(host, signal, approve));
  return said.startsWith('ask') ? textOf(await ask(host, signal)) : 'done';
};
const start = (description: string, review: QueryOptions['review'] = 'wait') =>
  world().tasks.start({ subagent_type: 'coder', description, review });
const pending = (w: World = world()) => w.store.reads.reviews.pending();
const asked = (n: number) =>
  until(async () => ((await pending()).length === n ? pending() : null), 5_000, `${n} questions`);
const events = async () =>
  (await world().store.reads.events.after(0, { kinds: ['review'] }, 100)).map((e) => e.state);
const waitingOf = async (id: string) => {
  const { task, attempts } = await world().tasks.get(id);
  return [task.status, task.waiting, world().tasks.holdsSlot(attempts.at(-1)?.agent_id ?? '')];
};
const statusOf = async (id: string) => (await world().store.reads.queries.get(id))?.status;

describe('an agent that asks', () => {
  it('waits without slot and place, and is told the answer', async () => {
    const w = open(asking, { max: 1, places: 1 });
    const task = await start('ask');
    const [review] = await asked(1);
    expect(review).toMatchObject({
      ...{ kind: 'question', status: 'pending', task_id: task.task_id, path: ['coder agent #1'] },
      ...{ context: 'ask', request: { question: 'Which?', options: ['a', 'b'] }, blocking: true },
    });
    await until(async () => (await waitingOf(task.task_id))[1] === 'human', 5_000, 'it waits');
    expect(await waitingOf(task.task_id)).toEqual(['running', 'human', false]);
    await until(async () => (await statusOf(task.query_id)) === 'waiting', 5_000, 'waiting');
    // The only slot serves another task meanwhile.
    expect((await ended((await start('other')).task_id)).result).toBe('done');
    await w.reviews.decide(review?.review_id ?? '', { option: 2 }, 'me');
    expect((await ended(task.task_id)).result).toBe('answer (option 2): b');
    expect(await statusOf(task.query_id)).toBe('completed');
    expect(await events()).toEqual(['pending', 'decided']);
    expect(w.tasks.counts()).toMatchObject({ held: 0, lent: 0 });
  });

  it('is one of several, and each gets the answer to its own question', async () => {
    const w = open(asking);
    const tasks = [await start('ask one'), await start('ask two')];
    const rows = await asked(2);
    for (const { review_id, task_id } of rows)
      await w.reviews.decide(review_id, { answer: `for ${task_id}` }, 'me');
    for (const { task_id } of tasks)
      expect((await ended(task_id)).result).toBe(`answer: for ${task_id}`);
  });

  it('hears that nobody answered when the time is up, and goes on', async () => {
    open(asking, { review_timeout_s: 1 });
    const task = await start('ask');
    expect((await ended(task.task_id)).result).toMatch(/^Nobody answered within 1 s\. .*assumed/);
    expect(await events()).toEqual(['pending', 'expired']);
  });

  it('is not heard in a query that asks nobody', async () => {
    open(asking);
    const task = await start('ask', 'off');
    expect((await ended(task.task_id)).result).toMatch(/^Nobody can be asked in this query\./);
    expect(await pending()).toEqual([]);
  });

  it('finds its question again after the death of its role server, and is not asked twice', async () => {
    const w = open(async (run) => {
      // What the tool call was answered with stands in the thread of the run that goes on.
      const last = run.envelope.messages.at(-1);
      if (last?.role === 'tool') return last.content;
      const id = { id: 'c1', name: 'ask_user', arguments: '{}' };
      const said = { role: 'assistant' as const, content: '', tool_calls: [id] };
      const step = { step: run.envelope.first_step, messages: [said], delivered: [] };
      await run.host.toolStarted({ step, calls: [id] });
      return textOf(await ask(run.host, run.signal));
    });
    const task = await start('ask');
    const [review] = await asked(1);
    w.crash('coder');
    await until(async () => (await waitingOf(task.task_id))[0] === 'assigned', 5_000, 'it is lost');
    expect(await waitingOf(task.task_id)).toEqual(['assigned', 'human', false]);
    expect(w.working()).toEqual([]);
    expect((await pending()).map((r) => r.review_id)).toEqual([review?.review_id]);
    await w.reviews.decide(review?.review_id ?? '', { answer: 'still here' }, 'me');
    expect((await ended(task.task_id)).result).toBe('answer: still here');
    expect(await events()).toEqual(['pending', 'decided']);
  });
});

describe('a review', () => {
  it('is decided once; the second decision is told the first', async () => {
    const w = open(asking);
    await start('ask');
    const [review] = await asked(1);
    const id = review?.review_id ?? '';
    await expect(w.reviews.decide(id, { option: 9 }, 'me')).rejects.toMatchObject({
      code: 'decision_invalid',
    });
    const both = await Promise.allSettled([
      w.reviews.decide(id, { option: 1 }, 'me'),
      w.reviews.decide(id, { option: 2 }, 'you'),
    ]);
    expect(both.map((r) => r.status)).toEqual(['fulfilled', 'rejected']);
    await expect(w.reviews.decide(id, { option: 2 }, 'you')).rejects.toMatchObject({
      code: 'conflict',
      data: { status: 'decided', decision: { answer: 'a', option: 1 }, decided_by: 'me' },
    });
    await expect(w.reviews.decide('nothing', {}, 'me')).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is withdrawn when its task is cancelled', async () => {
    const w = open(asking);
    const task = await start('ask');
    const [review] = await asked(1);
    await w.tasks.cancel(task.task_id, 'no longer wanted');
    expect(await w.reviews.get(review?.review_id ?? '')).toMatchObject({ status: 'withdrawn' });
    expect(await events()).toEqual(['pending', 'withdrawn']);
    await expect(
      w.reviews.decide(review?.review_id ?? '', { option: 1 }, 'me'),
    ).rejects.toMatchObject({ code: 'conflict', data: { status: 'withdrawn' } });
  });

  it('is withdrawn when a message takes the place of what was asked', async () => {
    const w = open(async (run) => {
      const last = run.envelope.messages.at(-1);
      return last?.content === 'use b' ? 'used b' : asking(run);
    });
    const task = await start('ask');
    await asked(1);
    await w.tasks.message(task.task_id, 'use b', 'interrupt');
    expect((await ended(task.task_id)).result).toBe('used b');
    expect(await events()).toEqual(['pending', 'withdrawn']);
  });
});

describe('an approval', () => {
  it('for the rest of the query covers the next one of the same subject', async () => {
    const w = open(async ({ host, signal }) => {
      const first = await ask(host, signal, approve);
      const second = await ask(host, signal, { ...approve, call_id: 'c3' } as never);
      return [first, second].map(textOf).join(' | ');
    });
    const task = await start('approve');
    const [review] = await asked(1);
    await w.reviews.decide(review?.review_id ?? '', { decision: 'session' }, 'me');
    expect((await ended(task.task_id)).result).toBe(
      'Approved. | Approved for the rest of this query.',
    );
    expect(await events()).toEqual(['pending', 'decided']);
  });
  it('is denied when nobody decides in time, and at once where nobody is waited for', async () => {
    open(asking, { review_timeout_s: 1 });
    const late = await start('approve');
    const deferred = await start('approve', 'defer');
    expect(JSON.parse((await ended(deferred.task_id)).result ?? '')).toMatchObject({
      approved: false,
    });
    expect(JSON.parse((await ended(late.task_id)).result ?? '')).toMatchObject({
      approved: false,
      text: 'Not approved: nobody decided within 1 s.',
    });
  });

  it('covers the one call that asked: when the run is lost after the yes, the agent must look before it repeats', async () => {
    const w = open(async (run) => {
      const last = run.envelope.messages.at(-1);
      if (last?.role === 'tool') return last.content;
      const id = { id: 'c2', name: 'shell', arguments: '{}' };
      const said = { role: 'assistant' as const, content: '', tool_calls: [id] };
      const step = { step: run.envelope.first_step, messages: [said], delivered: [] };
      await run.host.toolStarted({ step, calls: [id] });
      await ask(run.host, run.signal, approve);
      return never(run.signal);
    });
    const task = await start('approve');
    const [review] = await asked(1);
    await w.reviews.decide(review?.review_id ?? '', { decision: 'once' }, 'me');
    await until(async () => (await waitingOf(task.task_id))[1] === null, 5_000, 'it goes on');
    w.crash('coder');
    expect((await ended(task.task_id)).result).toMatch(
      /^interrupted: .*may or may not.*It had been approved; a repetition is asked for again\.$/,
    );
  });
});
