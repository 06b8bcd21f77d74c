// Units of work: all or nothing, one after the other, seen when durable.
import { describe, expect, it } from 'vitest';
import type { TroupeEvent } from '../../src/domain/event.ts';
import { uuidv7 } from '../../src/domain/ids.ts';
import { until } from '../support/until.ts';
import { AT, aLoop, aQuery, aRun, aSubagent, aTask } from './rows.ts';
import { type StoreUnderTest, useStore } from './store-under-test.ts';

export function unitContract(create: () => Promise<StoreUnderTest>): void {
  const under = useStore(create);

  describe('units of work', () => {
    it('gives back what was stored, to the last field', async () => {
      const query = aQuery({
        branched: true,
        answer: 'ok',
        error: { code: 'lost', message: 'm', reasons: ['r'] },
      });
      const task = aTask(query.query_id, { result: 'done', partial_output: 'so far' });
      const subagent = aSubagent(task, {
        pid: 12,
        port: 34,
        endpoint: 'http://127.0.0.1:34',
        waiting: null,
      });
      const run = aRun(task, { agent_id: subagent.agent_id });
      const loop = aLoop(query.query_id);
      await under.store.tx(async (t) => {
        await t.queries.insert(query);
        await t.tasks.insert(task, null);
        await t.runs.insert(run);
        await t.subagents.insert(subagent);
        await t.loops.upsert(loop);
      });
      expect(await under.store.reads.queries.get(query.query_id)).toEqual(query);
      expect(await under.store.reads.tasks.get(task.task_id)).toEqual(task);
      expect(await under.store.reads.subagents.get(subagent.agent_id)).toEqual(subagent);
      expect(await under.store.reads.runs.get(run.run_id)).toEqual(run);
      expect(await under.store.reads.loops.ofQuery(query.query_id)).toEqual([loop]);
    });

    it('answers null for what does not exist', async () => {
      expect(await under.store.reads.queries.get(uuidv7())).toBeNull();
      expect(await under.store.reads.tasks.get(uuidv7())).toBeNull();
      expect(await under.store.reads.subagents.get('sa_none')).toBeNull();
      expect(await under.store.reads.runs.get(uuidv7())).toBeNull();
      expect(await under.store.reads.tasks.byCall('no', 'no')).toBeNull();
    });

    it('keeps nothing of a unit that throws, and everything of its neighbours', async () => {
      const kept = aQuery();
      const dropped = aQuery();
      const published: TroupeEvent[] = [];
      under.store.onCommit((events) => published.push(...events));
      const answers = await Promise.allSettled([
        under.store.tx(async (t) => {
          await t.queries.insert(kept);
          return t.events.append({ kind: 'query', state: 'queued', query_id: kept.query_id });
        }),
        under.store.tx(async (t) => {
          await t.queries.insert(dropped);
          await t.events.append({ kind: 'query', state: 'queued', query_id: dropped.query_id });
          throw new Error('changed my mind');
        }),
        under.store.tx((t) =>
          t.events.append({ kind: 'query', state: 'running', query_id: kept.query_id }),
        ),
      ]);
      expect(answers.map((a) => (a.status === 'fulfilled' ? a.value : a.reason.message))).toEqual([
        1,
        'changed my mind',
        2,
      ]);
      expect(await under.store.reads.queries.get(dropped.query_id)).toBeNull();
      expect(await under.store.reads.queries.get(kept.query_id)).not.toBeNull();
      expect(published.map((e) => e.seq)).toEqual([1, 2]);
      expect(await under.store.reads.events.after(0, {}, 10)).toEqual(published);
    });

    it('shows a unit its own writes, and nobody else before they are durable', async () => {
      const query = aQuery();
      const seen = await under.store.tx(async (t) => {
        await t.queries.insert(query);
        return {
          inside: (await t.queries.get(query.query_id))?.query_id,
          outside: await under.store.reads.queries.get(query.query_id),
        };
      });
      expect(seen).toEqual({ inside: query.query_id, outside: null });
      expect(await under.store.reads.queries.get(query.query_id)).toEqual(query);
    });

    it('commits what nobody waits for by itself', async () => {
      const query = aQuery();
      await under.store.soon((t) => t.queries.insert(query));
      await until(() => under.store.reads.queries.get(query.query_id), 2000, 'soon is committed');
    });

    it('rejects a unit that waits for something else, and goes on', async () => {
      const stuck = aQuery();
      const late: string[] = [];
      const waiting = under.store.tx(async (t) => {
        await t.queries.insert(stuck);
        await new Promise((resolve) => setTimeout(resolve, 30));
        await t.queries.insert(aQuery()).catch((e: Error) => late.push(e.message));
      });
      const fine = under.insertQuery();
      await expect(waiting).rejects.toMatchObject({ code: 'internal' });
      expect(await under.store.reads.queries.get((await fine).query_id)).not.toBeNull();
      expect(await under.store.reads.queries.get(stuck.query_id)).toBeNull();
      await until(() => late.length > 0, 2000, 'the late call was refused');
      expect(late[0]).toContain('already ended');
    });

    it('does not hang when a unit waits for another unit', async () => {
      const nested = under.store.tx(() => under.store.tx(async () => 1));
      await expect(nested).rejects.toMatchObject({ code: 'internal' });
      expect(await under.store.tx(async () => 2)).toBe(2);
    });

    it('stamps everything in one unit with one time', async () => {
      const query = await under.insertQuery({ updated_at: '2020-01-01T00:00:00.000Z' });
      const at = await under.store.tx(async (t) => {
        await t.queries.patch(query.query_id, { status: 'running' });
        await t.events.append({ kind: 'query', state: 'running' });
        return t.at;
      });
      expect(at).toBe(AT);
      expect(await under.store.reads.queries.get(query.query_id)).toMatchObject({
        status: 'running',
        updated_at: AT,
      });
      expect((await under.store.reads.events.after(0, {}, 1))[0]?.at).toBe(AT);
    });

    it('refuses units after close', async () => {
      await under.store.close();
      await expect(under.store.tx(async () => 1)).rejects.toMatchObject({ code: 'shutting_down' });
    });

    it('keeps what was added before close', async () => {
      const query = aQuery();
      const adding = under.store.soon((t) => t.queries.insert(query));
      const again = await under.reopen();
      await adding;
      expect(await again.reads.queries.get(query.query_id)).toEqual(query);
    });
  });

  describe('patches', () => {
    it('changes the named fields only, and null clears', async () => {
      const query = await under.insertQuery({ answer: 'old', input: 'same' });
      await under.store.tx((t) =>
        t.queries.patch(query.query_id, { answer: null, branched: true }),
      );
      expect(await under.store.reads.queries.get(query.query_id)).toEqual({
        ...query,
        answer: null,
        branched: true,
      });
    });

    it('names a row that does not exist', async () => {
      const id = uuidv7();
      await expect(under.store.tx((t) => t.tasks.patch(id, { result: 'x' }))).rejects.toMatchObject(
        {
          code: 'not_found',
          message: expect.stringContaining(id),
        },
      );
    });
  });
}
