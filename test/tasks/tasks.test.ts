import { describe, expect, it } from 'vitest';
import { never, tasksHarness } from '../support/tasks-harness.ts';
import { until } from '../support/until.ts';

const { open, start, ended, states, running } = tasksHarness();

describe('a task', () => {
  it('goes created, assigned, running, completed, each with its event, without anybody checking it', async () => {
    const world = open(async () => 'done');
    const task = await start();
    expect(task.status).toBe('created');
    expect(await ended(task.task_id)).toMatchObject({ status: 'completed', result: 'done' });
    expect(await states(task.task_id)).toEqual(['created', 'assigned', 'running', 'completed']);
    const query = await world.store.reads.queries.get(task.query_id);
    expect(query).toMatchObject({ kind: 'direct', status: 'completed', answer: 'done' });
  });

  it('binds two tasks of one role to their own outcomes when the first fails', async () => {
    const world = open(async ({ envelope }) => {
      if (envelope.messages[0]?.content === 'bad') throw new Error('broken');
      return 'good';
    });
    const [bad, good] = await Promise.all([start('coder', 'bad'), start('coder', 'good')]);
    expect((await ended(bad.task_id)).status).toBe('failed');
    expect(await ended(good.task_id)).toMatchObject({ status: 'completed', result: 'good' });
    const [a] = (await world.tasks.get(bad.task_id)).attempts;
    const [b] = (await world.tasks.get(good.task_id)).attempts;
    expect([a?.state, b?.state]).toEqual(['failed', 'completed']);
    expect([a?.task_id, b?.task_id]).toEqual([bad.task_id, good.task_id]);
  });

  it('is refused with the known roles, with the sizes, or as empty, and then nothing was made', async () => {
    const world = open(async () => 'done');
    await expect(start('codr')).rejects.toMatchObject({
      code: 'unknown_role',
      message: expect.stringContaining('planner, coder, reviewer'),
    });
    await expect(start('coder', ' \n')).rejects.toMatchObject({ code: 'bad_request' });
    await expect(start('coder', 'x'.repeat(40_000))).rejects.toThrow('40000 bytes; at most 32768');
    expect((await world.tasks.list({ limit: 10, cursor: null })).data).toEqual([]);
    const refusal = await until(
      async () => (await world.store.reads.events.after(0, { kinds: ['security'] }, 10))[0],
      5_000,
      'the event of the refusal',
    );
    expect(refusal.data).toMatchObject({
      parent: 'api',
      child: 'codr',
      rule: 'unknown_role',
      depth: 0,
    });
  });

  it('names recent ids when an id is unknown, and takes ids with blanks, quotes and upper case', async () => {
    const world = open(async () => 'done');
    const { task_id } = await start();
    await expect(world.tasks.get('nope')).rejects.toThrow(task_id);
    expect((await world.tasks.get(` "${task_id.toUpperCase()}" `)).task.task_id).toBe(task_id);
    await expect(world.tasks.get(task_id.slice(0, 8))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('slots', () => {
  it('never lets more than MAX_SUBAGENTS hold one, says what the others wait for, and serves all', async () => {
    let now = 0;
    let most = 0;
    const gate = new AbortController();
    const world = open(
      async () => {
        most = Math.max(most, ++now);
        await new Promise<void>((resolve) =>
          gate.signal.addEventListener('abort', () => resolve()),
        );
        now -= 1;
        return 'done';
      },
      { max: 2 },
    );
    const all = await Promise.all(Array.from({ length: 6 }, () => start()));
    await until(() => now === 2, 5_000, 'two at work');
    const details = await Promise.all(all.map((t) => world.tasks.get(t.task_id)));
    expect(details.filter((d) => d.task.waiting === 'slot')).toHaveLength(4);
    const timer = setInterval(() => gate.signal.dispatchEvent(new Event('abort')), 5);
    for (const task of all) expect((await ended(task.task_id)).status).toBe('completed');
    clearInterval(timer);
    expect(most).toBe(2);
    expect(world.tasks.counts()).toMatchObject({ held: 0, queued: 0, runs: 0 });
  });

  it('refuses with the numbers when overflow is reject', async () => {
    const _world = open(({ signal }) => never(signal), { max: 2, overflow: 'reject' });
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => start()));
    const refused = results.filter((r) => r.status === 'rejected');
    expect(refused).toHaveLength(3);
    expect(refused[0]?.reason).toMatchObject({ code: 'capacity', data: { max_subagents: 2 } });
  });

  it('answers a full queue with queue_full, also for a burst', async () => {
    const _world = open(({ signal }) => never(signal), { max: 1, queue_limit: 2 });
    await running((await start()).task_id);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => start()));
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(2);
  });

  it('is given back after an end, a failure and a cancel', async () => {
    const world = open(
      async ({ envelope, signal }) => {
        const what = envelope.messages[0]?.content;
        if (what === 'fail') throw new Error('x');
        return what === 'hang' ? never(signal) : 'ok';
      },
      { max: 1 },
    );
    for (const what of ['ok', 'fail', 'hang']) {
      const { task_id } = await start('coder', what);
      if (what === 'hang') {
        await running(task_id);
        await world.tasks.cancel(task_id, 'enough');
      } else await ended(task_id);
      expect(world.tasks.counts()).toMatchObject({ held: 0, lent: 0, queued: 0 });
      expect(world.places().now).toBe(0);
    }
  });
});
