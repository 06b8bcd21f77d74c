import { describe, expect, it } from 'vitest';
import { never, tasksHarness } from '../support/tasks-harness.ts';
import type { Work } from '../support/tasks-world.ts';

const { open, start, ended, states, running } = tasksHarness();

describe('after the first start', () => {
  const echo: Work = async ({ envelope }) => envelope.messages.map((m) => m.content).join(' | ');

  it('an update of an ended task keeps id and thread and is a new attempt', async () => {
    const world = open(echo);
    const task = await start('coder', 'first');
    await ended(task.task_id);
    const { task: updated } = await world.tasks.message(task.task_id, 'second', 'interrupt');
    expect(updated.task_id).toBe(task.task_id);
    expect((await ended(task.task_id)).result).toBe('first | second');
    const { attempts } = await world.tasks.get(task.task_id);
    expect(attempts.map((a) => a.ordinal)).toEqual([1, 2]);
  });

  it('an update of a running task stops it for real and goes on with the whole thread', async () => {
    let aborted = 0;
    const world = open(async ({ envelope, signal }) => {
      if (envelope.messages.length > 1) return envelope.messages.map((m) => m.content).join(' | ');
      await never(signal).catch(() => (aborted += 1));
      throw new Error('aborted');
    });
    const task = await start('coder', 'first');
    await running(task.task_id);
    await world.tasks.message(task.task_id, 'better', 'interrupt');
    expect(aborted).toBe(1);
    expect((await ended(task.task_id)).result).toBe('first | better');
    expect(await states(task.task_id)).toEqual([
      'created',
      'assigned',
      'running',
      'assigned',
      'running',
      'completed',
    ]);
  });

  it('a queued message follows the attempt at work, without a false end in between', async () => {
    const gate = new AbortController();
    const world = open(async ({ envelope }) => {
      if (envelope.messages.length === 1)
        await new Promise<void>((resolve) =>
          gate.signal.addEventListener('abort', () => resolve()),
        );
      return envelope.messages.map((m) => m.content).join(' | ');
    });
    const task = await start('coder', 'first');
    await running(task.task_id);
    expect((await world.tasks.message(task.task_id, 'next', 'enqueue')).delivery).toBe('queued');
    const result = ended(task.task_id);
    gate.abort();
    expect((await result).result).toBe('first | next');
  });

  it('a steering message is delivered to a running task and missed by an ended one', async () => {
    const world = open(async ({ envelope, signal }) =>
      envelope.messages[0]?.content === 'go' ? never(signal) : 'x',
    );
    const task = await start('coder', 'go');
    await running(task.task_id);
    expect((await world.tasks.message(task.task_id, 'left', 'steer')).delivery).toBe('delivered');
    expect(world.steered).toEqual(['left']);
    await world.tasks.cancel(task.task_id, 'enough');
    expect((await world.tasks.message(task.task_id, 'right', 'steer')).delivery).toBe('missed');
  });

  it('a retry of a failed task tells the agent how the attempt before ended', async () => {
    let n = 0;
    const world = open(async ({ envelope }) => {
      if (n++ === 0) throw new Error('first try broke');
      return envelope.messages.at(-1)?.content ?? '';
    });
    const task = await start('coder', 'fragile');
    expect((await ended(task.task_id)).status).toBe('failed');
    await world.tasks.retry(task.task_id);
    expect((await ended(task.task_id)).result).toContain('first try broke');
  });
});
