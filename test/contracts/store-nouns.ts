// Tasks and subagents: how they are found again.
import { describe, expect, it } from 'vitest';
import { aSubagent, aTask } from './rows.ts';
import { type StoreUnderTest, useStore } from './store-under-test.ts';

const all = { limit: 50, cursor: null };

export function nounContract(create: () => Promise<StoreUnderTest>): void {
  const under = useStore(create);

  describe('tasks', () => {
    it('lists by status, role and query, each alone and together', async () => {
      const [a, b] = [await under.insertQuery(), await under.insertQuery()];
      const one = aTask(a.query_id, { status: 'running' });
      const two = aTask(a.query_id, { subagent_type: 'planner' });
      const three = aTask(b.query_id, { subagent_type: 'planner', status: 'running' });
      await under.store.tx(async (t) => {
        for (const task of [one, two, three]) await t.tasks.insert(task, null);
      });
      const ids = async (ask: object) =>
        (await under.store.reads.tasks.list({ ...all, ...ask })).data.map((t) => t.task_id);
      expect(await ids({})).toEqual([three, two, one].map((t) => t.task_id));
      expect(await ids({ status: 'running' })).toEqual([three.task_id, one.task_id]);
      expect(await ids({ role: 'planner' })).toEqual([three.task_id, two.task_id]);
      expect(await ids({ role: 'planner', status: 'running' })).toEqual([three.task_id]);
      expect(await ids({ query_id: a.query_id, role: 'planner' })).toEqual([two.task_id]);
      expect(await ids({ query_id: b.query_id, status: 'created' })).toEqual([]);
    });

    it('finds the open ones, the children and those of a query, oldest first', async () => {
      const query = await under.insertQuery();
      const parent = aTask(query.query_id);
      const child = aTask(query.query_id, { parent_task_id: parent.task_id, status: 'blocked' });
      const ended = aTask(query.query_id, { status: 'completed' });
      await under.store.tx(async (t) => {
        for (const task of [parent, child, ended]) await t.tasks.insert(task, null);
      });
      const { tasks } = under.store.reads;
      const ids = (list: { task_id: string }[]) => list.map((t) => t.task_id);
      expect(ids(await tasks.open())).toEqual([parent.task_id, child.task_id]);
      expect(ids(await tasks.children(query.query_id, null))).toEqual([
        parent.task_id,
        ended.task_id,
      ]);
      expect(ids(await tasks.children(query.query_id, parent.task_id))).toEqual([child.task_id]);
      expect(ids(await tasks.ofQuery(query.query_id))).toEqual([
        parent.task_id,
        child.task_id,
        ended.task_id,
      ]);
    });

    it('appends output; get reads it whole, lists leave it out', async () => {
      const query = await under.insertQuery();
      const task = aTask(query.query_id, { partial_output: 'start\n\n' });
      await under.store.tx((t) => t.tasks.insert(task, null));
      for (const text of ['안', '녕', '', ' 🕰'])
        await under.store.soon((t) => t.tasks.appendOutput(task.task_id, text));
      await under.store.tx(async () => undefined);
      expect((await under.store.reads.tasks.get(task.task_id))?.partial_output).toBe(
        'start\n\n안녕 🕰',
      );
      expect((await under.store.reads.tasks.list(all)).data[0]?.partial_output).toBe('');
      await under.store.tx((t) => t.tasks.patch(task.task_id, { partial_output: 'anew' }));
      expect((await under.store.reads.tasks.get(task.task_id))?.partial_output).toBe('anew');
    });

    it('remembers which call made which task, and lets no call make two', async () => {
      const query = await under.insertQuery();
      const task = aTask(query.query_id);
      await under.store.tx((t) => t.tasks.insert(task, { run_id: 'r', call_id: 'c1' }));
      await under.store.tx((t) => t.tasks.noteCall('r', 'c2', task.task_id));
      await under.store.tx((t) => t.tasks.noteCall('r', 'c2', task.task_id));
      expect((await under.store.reads.tasks.byCall('r', 'c1'))?.task_id).toBe(task.task_id);
      expect((await under.store.reads.tasks.byCall('r', 'c2'))?.task_id).toBe(task.task_id);
      const again = under.store.tx((t) =>
        t.tasks.insert(aTask(query.query_id), { run_id: 'r', call_id: 'c1' }),
      );
      await expect(again).rejects.toMatchObject({ code: 'conflict' });
      expect(await under.store.reads.tasks.ofQuery(query.query_id)).toHaveLength(1);
    });
  });

  describe('subagents', () => {
    it('counts ordinals per query and role, and keeps them unique', async () => {
      const query = await under.insertQuery();
      const task = aTask(query.query_id);
      await under.store.tx((t) => t.tasks.insert(task, null));
      const insert = () =>
        under.store.tx(async (t) => {
          const ordinal = await t.subagents.nextOrdinal(query.query_id, 'coder');
          await t.subagents.insert(aSubagent(task, { ordinal }));
          return ordinal;
        });
      expect(await Promise.all([insert(), insert(), insert()])).toEqual([1, 2, 3]);
      expect(await under.store.tx((t) => t.subagents.nextOrdinal(query.query_id, 'planner'))).toBe(
        1,
      );
      expect(
        (await under.store.reads.subagents.ofTask(task.task_id)).map((s) => s.ordinal),
      ).toEqual([1, 2, 3]);
      await expect(
        under.store.tx((t) => t.subagents.insert(aSubagent(task, { ordinal: 2 }))),
      ).rejects.toThrow();
    });

    it('lists by state, role and query', async () => {
      const query = await under.insertQuery();
      const task = aTask(query.query_id);
      const [one, two] = [aSubagent(task), aSubagent(task, { ordinal: 2, state: 'running' })];
      await under.store.tx(async (t) => {
        await t.tasks.insert(task, null);
        await t.subagents.insert(one);
        await t.subagents.insert(two);
        await t.subagents.patch(one.agent_id, { state: 'assigned', waiting: null });
      });
      const ids = async (ask: object) =>
        (await under.store.reads.subagents.list({ ...all, ...ask })).data.map((s) => s.agent_id);
      expect(await ids({})).toEqual([two.agent_id, one.agent_id]);
      expect(await ids({ state: 'assigned' })).toEqual([one.agent_id]);
      expect(await ids({ role: 'coder', state: 'running' })).toEqual([two.agent_id]);
      expect(await ids({ query_id: query.query_id, role: 'nobody' })).toEqual([]);
      expect(
        (await under.store.reads.subagents.ofQuery(query.query_id)).map((s) => s.agent_id),
      ).toEqual([one.agent_id, two.agent_id]);
    });
  });
}
