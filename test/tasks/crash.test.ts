import { describe, expect, it } from 'vitest';
import { never, tasksHarness } from '../support/tasks-harness.ts';
import { until } from '../support/until.ts';

const { open, start, ended, running } = tasksHarness();

describe('when a role server dies', () => {
  it('its runs go on in a new one from the last checkpoint', async () => {
    let n = 0;
    const world = open(async ({ envelope, host, signal }) => {
      n += 1;
      if (n > 1) return envelope.messages.map((m) => m.content).join(' | ');
      const step = {
        step: envelope.first_step,
        messages: [{ role: 'assistant' as const, content: 'half' }],
      };
      await host.step({ ...step, delivered: [] }, []);
      return never(signal);
    });
    const task = await start('coder', 'long');
    await until(() => n === 1, 5_000, 'at work');
    await until(
      async () => (await world.store.reads.checkpoints.thread(task.task_id)).messages.length === 2,
      5_000,
      'the checkpoint',
    );
    world.crash('coder');
    expect((await ended(task.task_id)).result).toBe('long | half');
    expect((await world.tasks.get(task.task_id)).attempts).toHaveLength(1);
  });

  it('and dies again and again of its own making, the task fails with the reasons', async () => {
    const world = open(({ signal }) => never(signal));
    const { task_id } = await start();
    for (let i = 1; i <= 6; i++) {
      await until(() => world.started.length === i, 5_000, `start ${i}`);
      await running(task_id);
      world.crash('coder', true);
      if (i < 6) await until(() => world.started.length === i + 1, 5_000, `restart ${i}`);
    }
    const task = await ended(task_id);
    expect(task.status).toBe('failed');
    expect(task.error).toMatchObject({ code: 'server_crashed' });
    expect(task.error?.message).toContain('attempt 6 of 6');
  });

  it('what had ended in it stays readable: result and output', async () => {
    const world = open(async ({ envelope, host }) => {
      const calls = [{ id: 'c1', name: 'write', arguments: '{"path":"a"}' }];
      await host.toolStarted({ step: null, calls });
      return `done in ${envelope.role}`;
    });
    const task = await start();
    await ended(task.task_id);
    world.crash('coder');
    const { task: read } = await world.tasks.get(task.task_id);
    expect(read).toMatchObject({ status: 'completed', result: 'done in coder' });
    expect(read.partial_output).toContain('[tool] write {"path":"a"}');
  });
});
