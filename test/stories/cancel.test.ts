// Cancel is real: the command is gone before anybody sees `cancelled`.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alive } from '../support/process-table.ts';
import { shellTask, startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

describe('cancel of a running task', { timeout: 60_000 }, () => {
  for (const command of ['sleep 600', 'setsid sleep 600 & sleep 601', 'trap "" TERM; sleep 600'])
    it(`stops its shell command before cancelled is visible: ${command}`, async () => {
      const troupe = await startTroupe();
      const { task_id } = await troupe.start('coder', shellTask(command));
      const commands = () => troupe.family().filter((p) => /^sleep 60\d$/.test(p.command));
      await until(() => commands().length > 0, 30_000, 'the command runs');
      const pids = commands().map((p) => p.pid);
      // Watches from outside: at the moment at which the status is seen, no command may be alive.
      const seen = until(
        async () => {
          const { status } = await troupe.task(task_id);
          return status === 'cancelled' && pids.filter(alive);
        },
        30_000,
        'cancelled is visible',
      );
      const answer = await troupe.ask<{ status: string }>(
        'POST',
        `/v1/tasks/${task_id}/cancel`,
        {},
      );
      expect(answer.status).toBe(200);
      expect(answer.body.status).toBe('cancelled');
      expect(await seen).toEqual([]);
      expect(commands()).toEqual([]);
      // The role server goes on: only the run has ended.
      expect((await troupe.servers())[0]).toMatchObject({ state: 'ready', active_runs: 0 });
    });

  it('a second cancel is 409 with the true status, and the run executes nothing more', async () => {
    const troupe = await startTroupe();
    const { task_id, query_id } = await troupe.start(
      'coder',
      '[[tool shell {"command":"sleep 1 && touch first"}]] [[delay=500]] [[tool shell {"command":"touch second"}]] x',
    );
    await until(async () => (await troupe.task(task_id)).status === 'running', 30_000, 'it runs');
    await troupe.call('POST', `/v1/tasks/${task_id}/cancel`, {});
    const again = await troupe.ask<{ detail: string }>('POST', `/v1/tasks/${task_id}/cancel`, {});
    expect(again.status).toBe(409);
    expect(again.body.detail).toContain(`task ${task_id} is already cancelled`);
    const calls = (await troupe.events(`&task_id=${task_id}`)).filter((e) => e.kind === 'tool');
    await troupe.ended((await troupe.start('coder', 'after')).task_id);
    expect((await troupe.events(`&task_id=${task_id}`)).filter((e) => e.kind === 'tool')).toEqual(
      calls,
    );
    const { workdir } = await troupe.call<{ workdir: string }>('GET', `/v1/queries/${query_id}`);
    expect(existsSync(`${workdir}/second`)).toBe(false);
  });
});
