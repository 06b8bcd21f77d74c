// What is only ever added: events, checkpoints, turns, answers.
import { describe, expect, it } from 'vitest';
import type { TroupeEvent } from '../../src/domain/event.ts';
import type { Store } from '../../src/domain/ports.ts';
import { AT, aLoop, aQuery, aSubagent, aTask } from './rows.ts';
import { type StoreUnderTest, useStore } from './store-under-test.ts';

export function recordContract(create: () => Promise<StoreUnderTest>): void {
  const under = useStore(create);

  describe('events', () => {
    it('numbers without a gap, across restarts too', async () => {
      const append = (s: Store) => s.tx((t) => t.events.append({ kind: 'notice', state: 'x' }));
      expect([await append(under.store), await append(under.store)]).toEqual([1, 2]);
      const again = await under.reopen();
      expect(await again.reads.events.last()).toBe(2);
      expect(await append(again)).toBe(3);
    });

    it('filters by every field, alone and together, from any sequence', async () => {
      await under.store.tx(async (t) => {
        // The events of an agent carry its task.
        const query = aQuery();
        await t.queries.insert(query);
        for (const n of [0, 1, 2, 3]) {
          const task = aTask(query.query_id, { task_id: `t${n}` });
          await t.tasks.insert(task, null);
          await t.subagents.insert(aSubagent(task, { agent_id: `a${n}`, ordinal: n + 1 }));
        }
        for (let i = 0; i < 12; i += 1)
          await t.events.append({
            kind: (['tool', 'output', 'subagent'] as const)[i % 3] ?? 'tool',
            state: `s${i}`,
            query_id: i < 6 ? 'q1' : 'q2',
            task_id: `t${i % 4}`,
            agent_id: i === 11 ? null : `a${i % 4}`,
            role: i % 2 ? 'coder' : 'planner',
            data: { i, text: '한' },
          });
      });
      const seqs = async (after: number, filter: object, limit = 100) =>
        (await under.store.reads.events.after(after, filter, limit)).map((e) => e.seq);
      expect(await seqs(0, {})).toHaveLength(12);
      expect(await seqs(10, {})).toEqual([11, 12]);
      expect(await seqs(0, { query_id: 'q2' }, 2)).toEqual([7, 8]);
      expect(await seqs(2, { task_id: 't1' })).toEqual([6, 10]);
      expect(await seqs(0, { agent_id: 'a1' })).toEqual([2, 6, 10]);
      expect(await seqs(0, { agent_id: 'a1', role: 'coder', kinds: ['output'] })).toEqual([2]);
      expect(await seqs(0, { role: 'coder', query_id: 'q1' })).toEqual([2, 4, 6]);
      expect(await seqs(3, { kinds: ['tool', 'subagent'] }, 3)).toEqual([4, 6, 7]);
      expect(await seqs(0, { query_id: 'q1', kinds: ['output'] })).toEqual([2, 5]);
      expect(await seqs(0, { kinds: [] })).toEqual([]);
      expect(await seqs(99, {})).toEqual([]);
    });

    it('publishes each commit once, in order, as it is stored', async () => {
      const published: TroupeEvent[] = [];
      under.store.onCommit((events) => published.push(...events));
      const data: Record<string, unknown> = { n: 1, gone: undefined };
      await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          under.store.tx((t) => t.events.append({ kind: 'tool', state: `s${i}`, data })),
        ),
      );
      data.n = 2;
      expect(published.map((e) => e.seq)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
      expect(await under.store.reads.events.after(0, {}, 100)).toEqual(published);
      expect(published[0]?.data).toEqual({ n: 1 });
    });

    it('survives a listener that throws', async () => {
      under.store.onCommit(() => {
        throw new Error('reader bug');
      });
      expect(await under.store.tx((t) => t.events.append({ kind: 'tool', state: 'x' }))).toBe(1);
      expect(await under.store.reads.events.last()).toBe(1);
    });
  });

  describe('checkpoints', () => {
    it('appends each step once, and reads the thread in order', async () => {
      const row = (step: number, content: string) => ({
        thread_id: 'th',
        run_id: 'r1',
        step,
        messages: [{ role: 'user' as const, content }],
      });
      const append = (given: ReturnType<typeof row>) =>
        under.store.tx((t) => t.checkpoints.append(given));
      expect(await append(row(0, 'a'))).toBe(true);
      expect(await append(row(1, 'b'))).toBe(true);
      expect(await append(row(1, 'other'))).toBe(false);
      expect(await append({ ...row(0, 'c'), run_id: 'r2' })).toBe(true);
      const { messages, next_step } = await under.store.reads.checkpoints.thread('th');
      expect(messages.map((m) => m.content)).toEqual(['a', 'b', 'c']);
      expect(next_step).toBe(2);
      expect(await under.store.reads.checkpoints.thread('empty')).toEqual({
        messages: [],
        next_step: 0,
      });
    });

    it('knows the calls that started and have not ended', async () => {
      const call = (id: string) => ({ id, name: 'shell', arguments: '{}' });
      const receipt = { name: 'shell', ok: true, summary: 's', duration_ms: 1.5, exit_code: 0 };
      await under.store.tx(async (t) => {
        await t.checkpoints.startCall('r', call('c1'));
        await t.checkpoints.startCall('r', call('c1'));
        await t.checkpoints.startCall('r', call('c2'));
        await t.checkpoints.endCall('r', { ...receipt, id: 'c1' });
        await t.checkpoints.endCall('r', { ...receipt, id: 'never-started' });
      });
      expect(await under.store.reads.checkpoints.openCalls('r')).toEqual([
        { id: 'c2', name: 'shell', started_at: AT },
      ]);
    });
  });

  it('keeps one row per run of the loop; a null does not clear what is known', async () => {
    const loop = aLoop('q', { failure_reason: 'empty answer' });
    await under.store.tx((t) => t.loops.upsert(loop));
    await under.store.tx((t) =>
      t.loops.upsert({ ...loop, status: 'degraded', failure_reason: null, retries: 2 }),
    );
    expect(await under.store.reads.loops.ofQuery('q')).toEqual([
      { ...loop, status: 'degraded', retries: 2 },
    ]);
  });

  it('keeps answers under their key until they are pruned', async () => {
    const row = {
      api_key: 'k',
      route: 'POST /v1/tasks',
      key: 'abc',
      body_hash: 'h',
      status: 202,
      response: '{}',
      created_at: AT,
    };
    const get = () => under.store.tx((t) => t.idempotency.get('k', 'POST /v1/tasks', 'abc'));
    expect(await get()).toBeNull();
    await under.store.tx((t) => t.idempotency.put(row));
    expect(await get()).toEqual(row);
    await under.store.tx((t) => t.idempotency.prune(AT));
    expect(await get()).toEqual(row);
    await under.store.tx((t) => t.idempotency.prune('2027-01-01T00:00:00.000Z'));
    expect(await get()).toBeNull();
  });

  it('keeps changed prompts: the newest of a role, and the one that held at a revision', async () => {
    const set = (role: string, prompt: string | null) =>
      under.store.tx((t) => t.prompts.set(role, prompt));
    const { prompts } = under.store.reads;
    expect(await prompts.latest('coder')).toBeNull();
    const one = await set('coder', 'one');
    const main = await set('main', 'more');
    const two = await set('coder', 'two');
    const reset = await set('coder', null);
    expect([one, main, two, reset].map((r) => r.revision)).toEqual(
      [0, 1, 2, 3].map((n) => one.revision + n),
    );
    expect(await prompts.latest('coder')).toEqual({ ...reset, prompt: null, at: AT });
    expect((await prompts.asOf('coder', main.revision))?.prompt).toBe('one');
    expect(await prompts.asOf('coder', one.revision - 1)).toBeNull();
    expect(await prompts.all()).toEqual([reset, main]);
    for (let n = 0; n < 120; n += 1) await set('coder', `n ${n}`);
    expect(await prompts.asOf('coder', reset.revision)).toBeNull();
    expect((await prompts.latest('main'))?.prompt).toBe('more');
  });
}
