import { describe, expect, it } from 'vitest';
import { never, tasksHarness } from '../support/tasks-harness.ts';
import { outcome } from '../support/tasks-rows.ts';

const { open, start, ended, states, running } = tasksHarness();

describe('cancel', () => {
  it('of a queued task removes it without a start', async () => {
    const world = open(({ signal }) => never(signal), { max: 1 });
    const first = await start();
    await running(first.task_id);
    const second = await start();
    expect((await world.tasks.cancel(second.task_id, 'not needed')).task.status).toBe('cancelled');
    expect(await states(second.task_id)).toEqual(['created', 'cancelled']);
    expect(world.started).toHaveLength(1);
  });

  it('of an ended task changes nothing and answers with the true status', async () => {
    const world = open(async () => 'done');
    const { task_id } = await start();
    await ended(task_id);
    await expect(world.tasks.cancel(task_id, 'late')).rejects.toMatchObject({
      code: 'conflict',
      data: { status: 'completed' },
      message: expect.stringContaining(task_id),
    });
  });

  it('is visible only after the run has stopped, and a late result changes nothing', async () => {
    let stopped = false;
    let late: (() => Promise<void>) | null = null;
    const world = open(async ({ host, signal }) => {
      late = () => host.result(outcome('late'), null);
      await never(signal).catch(() => {});
      stopped = true;
      throw new Error('aborted');
    });
    const { task_id } = await start();
    await running(task_id);
    const { task } = await world.tasks.cancel(task_id, 'user said so');
    expect(stopped).toBe(true);
    expect(task).toMatchObject({ status: 'cancelled', error: { message: 'user said so' } });
    await expect((late as unknown as () => Promise<void>)()).resolves.toBeUndefined();
    expect((await world.tasks.get(task_id)).task.status).toBe('cancelled');
  });

  it('twice at once writes one end', async () => {
    const world = open(({ signal }) => never(signal));
    const { task_id } = await start();
    await running(task_id);
    await Promise.allSettled([world.tasks.cancel(task_id, 'a'), world.tasks.cancel(task_id, 'b')]);
    expect((await states(task_id)).filter((s) => s === 'cancelled')).toHaveLength(1);
  });
});
