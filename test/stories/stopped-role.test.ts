// An operator stops or restarts a role at any moment: its tasks cost nothing and go on in the next role server.
import { expect, it } from 'vitest';
import { startTroupe } from '../support/troupe-server.ts';

it('tasks outlive the stop and the restart of their role, at whatever moment it comes', async () => {
  const troupe = await startTroupe();
  const ids: string[] = [];
  const asked: Promise<unknown>[] = [];
  for (const [n, verb] of ['stop', 'restart', 'stop', 'stop', 'restart', 'stop'].entries()) {
    const text = n % 2 === 0 ? 'quick' : '[[delay=300]] slow';
    ids.push((await troupe.start('coder', text)).task_id);
    // The role server is starting, taking the run, at work, or draining: nobody waits to find out.
    asked.push(troupe.call('POST', `/v1/servers/coder/${verb}`).catch(() => {}));
    ids.push((await troupe.start('coder', text)).task_id);
  }
  for (const id of ids) {
    const task = await troupe.ended(id);
    expect([task.status, task.error]).toEqual(['completed', null]);
    expect(task.attempts).toHaveLength(1);
  }
  await Promise.all(asked);
  expect((await troupe.servers()).reduce((n, { active_runs }) => n + active_runs, 0)).toBe(0);
});
