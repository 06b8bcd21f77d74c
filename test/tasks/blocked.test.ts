import { describe, expect, it } from 'vitest';
import { never, tasksHarness } from '../support/tasks-harness.ts';
import { until } from '../support/until.ts';

const { open, start, ended, states, running } = tasksHarness();
const SOON = { blocked_after_ms: 1_000, blocked_deadline_ms: 2_000 };
const policies = async (world: ReturnType<typeof open>, task_id: string) =>
  (await world.store.reads.events.after(0, { task_id, kinds: ['policy'] }, 50)).map((e) => [
    e.state,
    e.data.action,
  ]);

describe('a failed subagent', () => {
  it('hands its task to the alternate role once, with the failure attached, and stays failed', async () => {
    const world = open(
      async ({ envelope }) => {
        if (envelope.role === 'coder') throw new Error('the compiler is missing');
        return envelope.messages.at(-1)?.content ?? '';
      },
      { alternates: { coder: 'reviewer', reviewer: 'planner' } },
    );
    const { task_id } = await start('coder', 'write it');
    const task = await ended(task_id);
    expect(task.status).toBe('completed');
    expect(task.result).toContain('the compiler is missing');
    expect(task.result).toContain('write it');
    const { attempts } = await world.tasks.get(task_id);
    expect(attempts.map((a) => [a.role, a.state])).toEqual([
      ['coder', 'failed'],
      ['reviewer', 'completed'],
    ]);
    expect(await policies(world, task_id)).toEqual([['subagent_failure', 'retry']]);
  });

  it('fails with both reasons when the alternate fails too; there is never a third role', async () => {
    const world = open(
      async ({ envelope }) => {
        throw new Error(`${envelope.role} is broken`);
      },
      { alternates: { coder: 'reviewer', reviewer: 'planner' } },
    );
    const { task_id } = await start();
    const task = await ended(task_id);
    expect(task.status).toBe('failed');
    expect(task.error?.reasons.join()).toContain('coder is broken');
    expect(task.error?.reasons.join()).toContain('reviewer is broken');
    expect((await world.tasks.get(task_id)).attempts.map((a) => a.role)).toEqual([
      'coder',
      'reviewer',
    ]);
    expect(await policies(world, task_id)).toEqual([
      ['subagent_failure', 'retry'],
      ['subagent_failure', 'stop'],
    ]);
    const notes = await world.store.reads.events.after(0, { task_id, kinds: ['policy'] }, 5);
    expect(Object.keys(notes[0]?.data.user_status as object)).toEqual(['en', 'ko', 'zh']);
  });

  it('shows no reader an end between the two attempts', async () => {
    const world = open(
      async ({ envelope }) => {
        if (envelope.role === 'coder') throw new Error('x');
        return 'done';
      },
      { alternates: { coder: 'reviewer' } },
    );
    const { task_id } = await start();
    const seen = new Set<string>();
    await until(
      async () => {
        seen.add((await world.tasks.get(task_id)).task.status);
        return seen.has('completed');
      },
      10_000,
      'completed',
    );
    expect([...seen]).not.toContain('failed');
  });

  it('that was cancelled gets no alternate', async () => {
    const world = open(({ signal }) => never(signal), { alternates: { coder: 'reviewer' } });
    const { task_id } = await start();
    await running(task_id);
    await world.tasks.cancel(task_id, 'enough');
    expect((await world.tasks.get(task_id)).attempts).toHaveLength(1);
  });
});

describe('a subagent without progress', () => {
  it('is blocked after a while, cancelled at the deadline, and its task goes to the alternate', async () => {
    const world = open(
      async ({ envelope, signal }) => (envelope.role === 'coder' ? never(signal) : 'helped'),
      { alternates: { coder: 'reviewer' }, blocked: SOON },
    );
    const { task_id } = await start();
    await until(
      async () => (await world.tasks.get(task_id)).task.status === 'blocked',
      5_000,
      'blocked',
    );
    expect((await ended(task_id)).result).toBe('helped');
    const { attempts } = await world.tasks.get(task_id);
    expect(attempts.map((a) => [a.role, a.state])).toEqual([
      ['coder', 'cancelled'],
      ['reviewer', 'completed'],
    ]);
    expect(world.tasks.counts()).toMatchObject({ held: 0, queued: 0, runs: 0 });
  });

  it('without an alternate its task fails at the deadline, with the phase in the reason', async () => {
    open(({ signal }) => never(signal), { blocked: SOON });
    const task = await ended((await start()).task_id);
    expect(task).toMatchObject({ status: 'failed', error: { code: 'blocked' } });
    expect(task.error?.message).toMatch(/no sign of progress for \d+ s \(phase: /);
  });

  it('goes on when there is progress again, and may complete straight out of blocked', async () => {
    const gate = new AbortController();
    const world = open(
      async ({ host }) => {
        await new Promise<void>((resolve) =>
          gate.signal.addEventListener('abort', () => resolve()),
        );
        host.progress({ activity: 'back' });
        return 'done';
      },
      { blocked: { ...SOON, blocked_deadline_ms: 60_000 } },
    );
    const { task_id } = await start();
    await until(
      async () => (await world.tasks.get(task_id)).task.status === 'blocked',
      5_000,
      'blocked',
    );
    gate.abort();
    expect((await ended(task_id)).status).toBe('completed');
    expect(await states(task_id)).toEqual([
      'created',
      'assigned',
      'running',
      'blocked',
      'running',
      'completed',
    ]);
  });

  it('that reports progress is not blocked', async () => {
    const world = open(
      async ({ host }) => {
        for (let i = 0; i < 15; i++) {
          host.progress({ activity: `step ${i}` });
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
        return 'slow but alive';
      },
      { blocked: SOON },
    );
    const { task_id } = await start();
    expect((await ended(task_id)).status).toBe('completed');
    expect(await states(task_id)).not.toContain('blocked');
    await world.close;
  });

  it('that waits for its child is not blocked', async () => {
    open(
      async ({ envelope, host, signal }) => {
        if (envelope.role === 'coder') {
          for (let i = 0; i < 20; i++) {
            host.progress({ activity: 'working' });
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
          return 'child';
        }
        await host.tasks(
          { op: 'start', call_id: 'c', subagent_type: 'coder', description: 'x' },
          signal,
        );
        await host.tasks({ op: 'join', wait_ms: 20_000 }, signal);
        return 'parent';
      },
      { blocked: SOON },
    );
    const { task_id } = await start('planner');
    expect((await ended(task_id)).result).toBe('parent');
    expect(await states(task_id)).not.toContain('blocked');
  });

  it('that runs out of its total time fails with the phase named, and its text so far is kept', async () => {
    open(async ({ host }) => {
      host.progress({ activity: 'running: make all' });
      const error = {
        code: 'run_timeout' as const,
        message: 'the run took longer than its 60 s',
        reasons: [],
      };
      return { status: 'failed', end_reason: 'timeout', text: 'so far: two of three', error };
    });
    const task = await ended((await start()).task_id);
    expect(task).toMatchObject({
      status: 'failed',
      result: 'so far: two of three',
      error: {
        code: 'run_timeout',
        message: expect.stringContaining('(phase: running: make all)'),
      },
    });
  });
});
