// Retention: what goes, what stays, and that no number is given twice.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/domain/ports.ts';
import type { Query } from '../../src/domain/query.ts';
import type { Task } from '../../src/domain/task.ts';
import { AT, aLoop, aQuery, aRun, aSubagent, aTask } from './rows.ts';
import { type StoreUnderTest, useStore } from './store-under-test.ts';

const LATER = '2026-02-01T00:00:00.000Z';
const EARLIER = '2026-01-01T00:00:00.000Z';

/** A query with everything that can hang on one. Three events. */
async function wholeQuery(store: Store, query: Partial<Query>, task: Partial<Task>) {
  const row = aQuery({ status: 'completed', ...query });
  const { query_id } = row;
  const work = aTask(query_id, { status: 'completed', ...task });
  const { task_id, run_id } = work;
  const loop = aLoop(query_id);
  await store.tx(async (t) => {
    await t.queries.insert(row);
    await t.loops.upsert(loop);
    await t.checkpoints.append({ thread_id: query_id, run_id: query_id, step: 0, messages: [] });
    await t.checkpoints.startCall(loop.run_id, { id: 'm', name: 'read', arguments: '{}' });
    await t.tasks.insert(work, { run_id: loop.run_id, call_id: 'c' });
    await t.tasks.appendOutput(task_id, 'text');
    await t.runs.insert(aRun(work));
    await t.subagents.insert(aSubagent(work));
    await t.checkpoints.append({ thread_id: task_id, run_id, step: 0, messages: [] });
    await t.checkpoints.startCall(run_id, { id: 'x', name: 'write', arguments: '{}' });
    await t.events.append({ kind: 'query', state: 'queued', query_id });
    await t.events.append({ kind: 'subagent', state: 'created', query_id, task_id });
    await t.events.append({ kind: 'output', state: 'text', query_id, task_id });
  });
  return { query_id, task_id, run_id, loop_id: loop.run_id };
}

export function retentionContract(create: () => Promise<StoreUnderTest>): void {
  const under = useStore(create);
  const remove = (ids: string[], before = LATER) =>
    under.store.tx((t) => t.retention.removeQueries(ids, before));

  describe('retention', () => {
    it('removes an ended query with all that hangs on it, and nothing of another one', async () => {
      const { store } = under;
      const goes = await wholeQuery(store, {}, {});
      const stays = await wholeQuery(store, {}, {});
      const done = await remove([goes.query_id]);
      expect(done).toEqual({
        looked: 1,
        query_ids: [goes.query_id],
        rows: {
          ...{ queries: 1, tasks: 1, subagents: 1, runs: 1, turns: 1 },
          ...{ checkpoints: 2, tool_calls: 2, events: 3 },
        },
      });
      const { reads } = store;
      const left = async ({ query_id, task_id, run_id, loop_id }: typeof goes) => ({
        query: (await reads.queries.get(query_id)) !== null,
        task: (await reads.tasks.get(task_id))?.partial_output,
        call: (await reads.tasks.byCall(loop_id, 'c')) !== null,
        run: (await reads.runs.get(run_id)) !== null,
        agents: (await reads.subagents.ofTask(task_id)).length,
        turns: (await reads.loops.ofQuery(query_id)).length,
        threads: [
          (await reads.checkpoints.thread(query_id)).next_step,
          (await reads.checkpoints.thread(task_id)).next_step,
        ],
        calls: [
          (await reads.checkpoints.openCalls(run_id)).length,
          (await reads.checkpoints.openCalls(loop_id)).length,
        ],
        events: (await reads.events.after(0, { query_id }, 9)).length,
      });
      const nothing = { query: false, task: undefined, call: false, run: false, agents: 0 };
      expect(await left(goes)).toEqual({
        ...{ ...nothing, turns: 0, threads: [0, 0], calls: [0, 0], events: 0 },
      });
      expect(await left(stays)).toEqual({
        ...{ query: true, task: 'text', call: true, run: true, agents: 1 },
        ...{ turns: 1, threads: [1, 1], calls: [1, 1], events: 3 },
      });
    });

    it('leaves what is open, what was touched since, and what has open or younger tasks', async () => {
      const { store } = under;
      const kept = [
        await wholeQuery(store, { status: 'running' }, {}),
        await wholeQuery(store, { status: 'waiting' }, {}),
        await wholeQuery(store, { status: 'queued' }, {}),
        await wholeQuery(store, { updated_at: LATER }, {}),
        await wholeQuery(store, {}, { status: 'running' }),
        await wholeQuery(store, {}, { status: 'blocked' }),
        await wholeQuery(store, {}, { status: 'failed', updated_at: LATER }),
      ];
      const gone = [
        await wholeQuery(store, { status: 'degraded' }, { status: 'failed' }),
        await wholeQuery(store, { status: 'failed' }, { status: 'cancelled' }),
        await wholeQuery(store, { status: 'cancelled' }, {}),
      ];
      const ids = [...kept, ...gone].map((q) => q.query_id);
      expect((await remove([...ids, 'nobody'])).query_ids).toEqual(gone.map((q) => q.query_id));
      expect((await remove(ids, EARLIER)).query_ids).toEqual([]);
      expect((await remove(ids, AT)).query_ids).toEqual([]);
      const left = (await store.reads.queries.list({ limit: 50, cursor: null })).data;
      expect(left.map((q) => q.query_id).reverse()).toEqual(kept.map((q) => q.query_id));
    });

    it('tells how far it came, so that the caller goes on', async () => {
      const { store } = under;
      const rows: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        const { query_id } = await wholeQuery(store, {}, {});
        rows.push(query_id);
        await store.tx(async (t) => {
          for (let i = 0; i < 2_500; i += 1)
            await t.events.append({ kind: 'output', state: 'text', query_id });
        });
      }
      const first = await remove(rows);
      expect(first.looked).toBe(1);
      expect((await remove(rows.slice(first.looked))).looked).toBe(1);
      expect(await store.reads.events.removed()).toBe(5_006);
    });

    it('notes the highest number that is gone and never gives one twice', async () => {
      const { store } = under;
      expect(await store.reads.events.removed()).toBe(0);
      const loose = () => store.tx((t) => t.events.append({ kind: 'server', state: 'ready' }));
      await loose(); // 1
      const one = await wholeQuery(store, {}, {}); // 2 to 4
      const two = await wholeQuery(store, {}, {}); // 5 to 7
      await remove([two.query_id]);
      expect([await store.reads.events.removed(), await store.reads.events.last()]).toEqual([7, 7]);
      await remove([one.query_id]);
      expect(await store.reads.events.removed()).toBe(7);
      const again = await under.reopen();
      expect([await again.reads.events.removed(), await again.reads.events.last()]).toEqual([7, 7]);
      expect(await again.tx((t) => t.events.append({ kind: 'server', state: 'ready' }))).toBe(8);
      expect((await again.reads.events.after(0, {}, 9)).map((e) => e.seq)).toEqual([1, 8]);
    });

    it('removes old events of no query, a bounded number at a time', async () => {
      const { store } = under;
      await wholeQuery(store, {}, {}); // 1 to 3
      for (const kind of ['server', 'security', 'server', 'notice', 'server'] as const)
        await store.tx((t) => t.events.append({ kind, state: 'x' })); // 4 to 8
      const loose = (before: string, limit: number) =>
        store.tx((t) => t.retention.removeLooseEvents(before, limit));
      expect(await loose(AT, 10)).toBe(0);
      expect(await loose(LATER, 2)).toBe(2);
      expect(await loose(LATER, 10)).toBe(3);
      expect(await loose(LATER, 10)).toBe(0);
      expect((await store.reads.events.after(0, {}, 9)).map((e) => e.seq)).toEqual([1, 2, 3]);
      expect(await store.reads.events.removed()).toBe(8);
    });
  });
}
