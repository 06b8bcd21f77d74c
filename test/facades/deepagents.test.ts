// An unmodified deepagents supervisor works with roles of this server as its async subagents.
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';
import { startSupervisor } from './supervisor.ts';

/** A port that is free now, for a server that comes back to the same address. */
const freePort = (): Promise<string> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(String(port)));
    });
  });

describe('a deepagents supervisor', () => {
  it('launches, checks, lists, updates and cancels roles that start with their first task', {
    timeout: 60_000,
  }, async () => {
    const server = await startTroupe({ env: { TROUPE_API_KEY: 'key-of-the-supervisor' } });
    const supervisor = await startSupervisor(server.url, 'key-of-the-supervisor');

    const plan = await supervisor.launch('planner', 'plan the release');
    const code = await supervisor.launch('coder', '[[delay=30000]] write it all');
    expect(await supervisor.outcome(plan)).toMatchObject({
      status: 'success',
      result: expect.stringContaining('plan the release'),
    });

    const list = await supervisor.use('list_async_tasks');
    expect(list).toMatch(new RegExp(`${plan}.*status: success`));
    expect(list).toMatch(new RegExp(`${code}.*status: (pending|running)`));

    expect(
      await supervisor.use('update_async_task', { taskId: code, message: 'write the half' }),
    ).toBe(`Updated async subagent. taskId: ${code}`);
    expect(await supervisor.outcome(code)).toMatchObject({
      status: 'success',
      result: expect.stringContaining('write the half'),
    });
    expect(await server.ask('GET', `/v1/tasks/${code}`)).toMatchObject({ status: 401 });
  });

  it('hears of a cancelled task that it is cancelled, and of a finished one that it is not', {
    timeout: 60_000,
  }, async () => {
    const server = await startTroupe();
    const supervisor = await startSupervisor(server.url);
    const long = await supervisor.launch('planner', '[[delay=30000]] x');
    expect(await supervisor.use('cancel_async_task', { taskId: long })).toContain('Cancelled');
    await until(
      async () => (await server.task(long)).status === 'cancelled',
      10_000,
      'the task to be cancelled',
    );
    expect(await supervisor.use('list_async_tasks')).toMatch(
      new RegExp(`${long}.*status: (cancelled|interrupted)`),
    );

    const done = await supervisor.launch('coder', 'quick');
    await server.ended(done);
    expect(await supervisor.use('cancel_async_task', { taskId: done })).toContain(
      'already success',
    );
    expect(await supervisor.outcome(done)).toMatchObject({ status: 'success' });
  });

  it('hears of a task that asks a person that it is interrupted, not that it is done', {
    timeout: 60_000,
  }, async () => {
    const server = await startTroupe();
    const supervisor = await startSupervisor(server.url);
    const asks = await supervisor.launch('planner', '[[interrupt]] which way?');
    expect(await supervisor.outcome(asks)).toMatchObject({ status: 'interrupted' });
    const failing = await supervisor.launch('coder', '[[fail]] x');
    expect(await supervisor.outcome(failing)).toMatchObject({ status: 'error' });
  });

  it('sees a run finish, and updates its thread, after main was killed in the middle of it', {
    timeout: 90_000,
  }, async () => {
    const port = await freePort();
    const before = await startTroupe({ env: { TROUPE_PORT: port } });
    const supervisor = await startSupervisor(before.url);
    const task = await supervisor.launch('planner', '[[delay=3000]] the long plan');
    await until(async () => (await before.task(task)).status === 'running', 10_000, 'it to run');
    await before.kill();

    await startTroupe({ folder: before.folder, env: { TROUPE_PORT: port } });
    expect(await supervisor.outcome(task)).toMatchObject({
      status: 'success',
      result: expect.stringContaining('the long plan'),
    });
    await supervisor.use('update_async_task', { taskId: task, message: 'and a short one' });
    expect(await supervisor.outcome(task)).toMatchObject({
      status: 'success',
      result: expect.stringContaining('and a short one'),
    });
  });
});
