// kill -9 of main: nothing of it lives after two seconds, whatever it was doing. And the next start goes on.
import { describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '../../src/domain/role.ts';
import { shellTask, startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const COMMANDS = [
  'sleep 600',
  'sleep 600 & echo started; sleep 601',
  'setsid sleep 600 & sleep 601',
  '(setsid sh -c "sleep 600 & sleep 601" &) ; sleep 602',
  'trap "" TERM HUP INT; sleep 600',
];
const sleepers = (troupe: Troupe): number =>
  troupe.family().filter((p) => /^sleep 60\d$/.test(p.command)).length;

describe('when main is killed with kill -9', { timeout: 90_000 }, () => {
  it('10 role servers with running, background and setsid commands are all gone within 2 s', async () => {
    const troupe = await startTroupe();
    const roles = BUILT_IN_ROLES.filter((role) => role !== 'remember');
    await Promise.all(
      roles.map((role, i) =>
        troupe.start(role, shellTask(COMMANDS[i % COMMANDS.length] as string)),
      ),
    );
    await troupe.start('remember', '[[delay=600000]] wait');
    await until(() => sleepers(troupe) >= 12, 60_000, 'the commands run');
    await until(async () => (await troupe.servers()).length === 10, 30_000, 'ten role servers');
    await troupe.kill();
    await until(() => troupe.family().length === 0, 2_000, 'everything of it is gone');
  });

  it('a stopped and a busy role server die too', async () => {
    const troupe = await startTroupe();
    await troupe.start('coder', shellTask('sleep 600'));
    await until(() => sleepers(troupe) === 1, 30_000, 'the command runs');
    const [server] = await troupe.servers();
    process.kill(server?.pid as number, 'SIGSTOP');
    await troupe.kill();
    await until(() => troupe.family().length === 0, 2_000, 'everything of it is gone');
  });

  it('queued tasks keep their place and running ones go on at the next start', async () => {
    const first = await startTroupe({ env: { MAX_SUBAGENTS: '1' } });
    const running = await first.start('coder', '[[delay=3000]] first');
    const queued = [await first.start('coder', 'second'), await first.start('planner', 'third')];
    await until(
      async () => (await first.task(running.task_id)).status === 'running',
      30_000,
      'it runs',
    );
    await first.kill();
    const second = await startTroupe({ env: { MAX_SUBAGENTS: '1' }, folder: first.folder });
    for (const [task, result] of [
      [running, 'first'],
      [queued[0], 'second'],
      [queued[1], 'third'],
    ] as const)
      expect(await second.ended(task?.task_id ?? '')).toMatchObject({
        status: 'completed',
        result,
      });
    const ends = (await second.events('&kinds=subagent')).filter((e) => e.state === 'completed');
    expect(ends.map((e) => e.task_id)).toEqual([running, ...queued].map((t) => t.task_id));
    expect(await second.stop()).toEqual({ code: 0, signal: null });
  });
});
