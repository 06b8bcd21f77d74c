import { describe, expect, it } from 'vitest';
import type { TaskCall } from '../../src/domain/run.ts';
import { never, tasksHarness } from '../support/tasks-harness.ts';
import type { Work } from '../support/tasks-world.ts';
import { until } from '../support/until.ts';

const { open, start, ended, running, world } = tasksHarness();

describe('a parent and its children', () => {
  const ask = (call: TaskCall, host: Parameters<Work>[0]['host'], signal: AbortSignal) =>
    host.tasks(call, signal);

  for (const max of [1, 4])
    it(`all finish with MAX_SUBAGENTS=${max}: a waiting parent lends its slot`, async () => {
      const world = open(
        async ({ envelope, host, signal }) => {
          if (envelope.role !== 'planner') return 'child result';
          await ask(
            { op: 'start', call_id: 'c1', subagent_type: 'coder', description: 'part' },
            host,
            signal,
          );
          const joined = await ask({ op: 'join', wait_ms: 20_000 }, host, signal);
          if (!joined.ok || joined.op !== 'join') throw new Error('join');
          return `parent of: ${joined.ended.map((t) => t.result).join()}`;
        },
        { max, places: max },
      );
      const parents = await Promise.all(
        Array.from({ length: max === 1 ? 1 : 5 }, () => start('planner', 'plan')),
      );
      for (const parent of parents)
        expect(await ended(parent.task_id)).toMatchObject({
          status: 'completed',
          result: 'parent of: child result',
        });
      expect(world.places().most).toBeLessThanOrEqual(max);
    });

  it('the same call starts one task; another start is refused below the depth limit', async () => {
    const seen: string[] = [];
    const world = open(async ({ envelope, host, signal }) => {
      if (envelope.role !== 'planner') return 'x';
      const call = {
        op: 'start',
        call_id: 'same',
        subagent_type: 'coder',
        description: 'part',
      } as const;
      for (const answer of [await ask(call, host, signal), await ask(call, host, signal)])
        if (answer.ok && answer.op === 'start') seen.push(answer.task.task_id);
      const denied = await ask(
        { ...call, call_id: 'other', subagent_type: 'planner' },
        host,
        signal,
      );
      if (!denied.ok) seen.push(denied.code);
      return 'done';
    });
    const parent = await start('planner', 'plan');
    await ended(parent.task_id);
    expect(seen[0]).toBe(seen[1]);
    expect(seen[2]).toBe('spawn_refused');
    expect(await world.store.reads.tasks.children(parent.query_id, parent.task_id)).toHaveLength(1);
  });

  it('are cancelled together, deepest first, with the reason', async () => {
    const world = open(async ({ envelope, host, signal }) => {
      if (envelope.role === 'planner') {
        await ask(
          { op: 'start', call_id: 'c', subagent_type: 'coder', description: 'p' },
          host,
          signal,
        );
        await ask({ op: 'join', wait_ms: 20_000 }, host, signal);
      }
      return never(signal);
    });
    const parent = await start('planner', 'plan');
    const child = await until(
      async () => (await world.store.reads.tasks.children(parent.query_id, parent.task_id))[0],
      5_000,
      'the child',
    );
    await running(child.task_id);
    await world.tasks.cancel(parent.task_id, 'stop all');
    const all = await world.store.reads.events.after(0, { query_id: parent.query_id }, 100);
    const ends = all.filter((e) => e.kind === 'subagent' && e.state === 'cancelled');
    expect(ends.map((e) => e.task_id)).toEqual([child.task_id, parent.task_id]);
    expect((await world.tasks.get(child.task_id)).task.error?.message).toBe(
      'parent cancelled: stop all',
    );
    expect(world.tasks.counts()).toMatchObject({ held: 0, lent: 0, queued: 0, runs: 0 });
  });

  it('of a cancelled node stop within 2 s; its siblings go on', async () => {
    open(async ({ envelope, host, signal }) => {
      if (envelope.role !== 'planner') return never(signal);
      await ask(
        { op: 'start', call_id: 'c', subagent_type: 'coder', description: 'p' },
        host,
        signal,
      );
      return never(signal);
    });
    const [first, second] = await Promise.all([start('planner', 'one'), start('planner', 'two')]);
    const childOf = (task: { query_id: string; task_id: string }) =>
      until(
        async () => (await world().store.reads.tasks.children(task.query_id, task.task_id))[0],
        5_000,
        'the child',
      );
    const [mine, other] = [await childOf(first), await childOf(second)];
    await Promise.all([running(mine.task_id), running(other.task_id)]);
    const asked = performance.now();
    await world().tasks.cancel(first.task_id, 'stop this one');
    expect((await world().tasks.get(mine.task_id)).task.status).toBe('cancelled');
    expect(performance.now() - asked).toBeLessThan(2_000);
    for (const id of [second.task_id, other.task_id])
      expect((await world().tasks.get(id)).task.status).toBe('running');
  });

  it('that have not ended are named in the result of a parent that ends without them', async () => {
    open(async ({ envelope, host, signal }) => {
      if (envelope.role !== 'planner') return never(signal);
      await ask(
        { op: 'start', call_id: 'c', subagent_type: 'coder', description: 'p' },
        host,
        signal,
      );
      return 'all is well';
    });
    const parent = await start('planner', 'plan');
    const { result } = await ended(parent.task_id);
    expect(result).toMatch(
      /all is well[\s\S]*Not included, because it had not ended: coder [0-9a-f-]{36}/,
    );
  });
});
