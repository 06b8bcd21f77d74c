// What model calls cost: reserved, settled once, summed by node and by day, gone with its query.
import { describe, expect, it } from 'vitest';
import { noUsage } from '../../src/domain/message.ts';
import { aTask } from './rows.ts';
import { type StoreUnderTest, useStore } from './store-under-test.ts';

const DAY = '2026-01-02';
const used = (input: number, output: number, cost_usd: number | null) => ({
  ...noUsage(),
  ...{ input_tokens: input, output_tokens: output, cost_usd, model_calls: 1 },
});
const none = { tokens: 0, nano_usd: 0 };

export function spendContract(create: () => Promise<StoreUnderTest>): void {
  const under = useStore(create);

  describe('what calls cost', () => {
    const row = (query_id: string, node_id: string, tokens: number) => ({
      ...{ query_id, node_id, run_id: `run of ${node_id}`, day: DAY, model: 'p:m' },
      most: { tokens, nano_usd: tokens * 10 },
    });

    it('is set aside until it is settled, once, and then counted for run, tree and day', async () => {
      const { query_id } = await under.insertQuery();
      const { spend } = under.store.reads;
      const [a, b] = await under.store.tx(async (t) => [
        await t.spend.reserve(row(query_id, 'a', 100)),
        await t.spend.reserve(row(query_id, 'b', 200)),
      ]);
      expect(await spend.underWay({ query_id })).toEqual({ tokens: 300, nano_usd: 3_000 });
      expect(await spend.underWay({ query_id, node_id: 'a' })).toMatchObject({ tokens: 100 });
      expect(await spend.underWay({ day: '2026-01-03' })).toEqual(none);
      const settle = (call: number | undefined, usage = used(40, 2, 0.5)) =>
        under.store.tx((t) => t.spend.settle(call ?? 0, { usage, estimated: none }));
      await settle(a);
      await settle(a);
      await settle(b, used(7, 3, null));
      const reopened = (await under.reopen()).reads.spend;
      expect(await reopened.underWay({})).toEqual(none);
      expect(await reopened.ofNode(query_id, 'a')).toMatchObject({
        usage: used(40, 2, 0.5),
        estimated: none,
      });
      expect((await reopened.ofNode(query_id, 'b'))?.usage.cost_usd).toBeNull();
      expect(await reopened.ofQuery(query_id)).toHaveLength(2);
      expect(await reopened.ofDay(DAY)).toEqual({
        ...{ day: DAY, model_calls: 2, estimated: none },
        spent: { tokens: 52, nano_usd: 500_000_000 },
      });
      expect(await reopened.ofDay('2026-01-03')).toMatchObject({ model_calls: 0, spent: none });
    });

    it('of calls that were cut off counts in full, as an estimate', async () => {
      const { query_id } = await under.insertQuery();
      await under.store.tx((t) => t.spend.reserve(row(query_id, 'a', 100)));
      const most = { tokens: 100, nano_usd: 1_000 };
      const settleAll = () => under.store.tx((t) => t.spend.settleAll());
      expect(await settleAll()).toEqual({ calls: 1, spent: most });
      expect(await settleAll()).toEqual({ calls: 0, spent: none });
      expect(await under.store.reads.spend.ofNode(query_id, 'a')).toMatchObject({
        usage: noUsage(),
        estimated: most,
      });
    });

    it('counts model steps for the run, its task and the query', async () => {
      const { query_id } = await under.insertQuery();
      const task = aTask(query_id);
      const { task_id, run_id } = task;
      await under.store.tx(async (t) => {
        await t.tasks.insert(task, null);
        await t.spend.step({ query_id, node_id: task_id, run_id });
        await t.spend.step({ query_id, node_id: task_id, run_id });
        await t.spend.step({ query_id, node_id: query_id, run_id: 'turn' });
      });
      const { reads } = under.store;
      expect((await reads.queries.get(query_id))?.iterations).toBe(3);
      expect((await reads.tasks.get(task_id))?.iterations).toBe(2);
      expect(await reads.spend.iterationsOf(run_id)).toBe(2);
      expect(await reads.spend.iterationsOf('none')).toBe(0);
    });

    it('of a role is that of its latest completed tasks; it goes with its query, the day stays', async () => {
      const { query_id } = await under.insertQuery({ status: 'completed' });
      for (const [n, status] of ['completed', 'failed', 'completed'].entries()) {
        const task = aTask(query_id, { status: status as 'completed' });
        await under.store.tx(async (t) => {
          await t.tasks.insert(task, null);
          const call = await t.spend.reserve(row(query_id, task.task_id, 9));
          const amount = { tokens: 10 * (n + 1), nano_usd: 5 };
          await t.spend.settle(call, { usage: null, estimated: amount });
        });
      }
      const { spend } = under.store.reads;
      expect(await spend.ofRole('coder', 5)).toEqual([
        { tokens: 30, nano_usd: 5 },
        { tokens: 10, nano_usd: 5 },
      ]);
      expect(await spend.ofRole('coder', 1)).toHaveLength(1);
      expect(await spend.ofRole('planner', 5)).toEqual([]);
      await under.store.tx((t) =>
        t.retention.removeQueries([query_id], '2100-01-01T00:00:00.000Z'),
      );
      expect(await spend.ofQuery(query_id)).toEqual([]);
      expect((await spend.ofDay(DAY)).spent.tokens).toBe(60);
      // A call that ends when its query is gone is counted for the day all the same.
      await under.store.tx(async (t) => {
        const call = await t.spend.reserve(row(query_id, 'late', 9));
        await t.spend.settle(call, { usage: used(1, 1, null), estimated: none });
      });
      expect((await spend.ofDay(DAY)).spent.tokens).toBe(62);
    });
  });
}
