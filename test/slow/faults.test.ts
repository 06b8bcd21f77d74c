// Single faults on the built product: each hits one process, and everything else goes on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { alive, descendants } from '../support/process-table.ts';
import { productEnv } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { shellTask, startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const commands = (troupe: Troupe) => troupe.family().filter((p) => /^sleep 60\d$/.test(p.command));
const passed = (ms: number) => {
  const begun = performance.now();
  return until(() => performance.now() - begun >= ms, ms + 1_000, 'the time of the fault');
};
const states = async (troupe: Troupe, filter: string): Promise<string[]> =>
  (await troupe.events(filter)).map((e) => e.state);

describe('one fault', { timeout: 60_000 }, () => {
  it('a command that is killed from outside is a failed call with its signal; its run goes on', async () => {
    const troupe = await startTroupe();
    const { task_id } = await troupe.start('coder', shellTask('sleep 600'));
    const [command] = await until(
      () => commands(troupe).length > 0 && commands(troupe),
      30_000,
      'the command runs',
    );
    const before = await troupe.servers();
    process.kill(command?.pid as number, 'SIGKILL');
    expect(await troupe.ended(task_id)).toMatchObject({ status: 'completed', result: 'done' });
    const [, call] = await troupe.events(`&task_id=${task_id}&kinds=tool`);
    expect(call?.state).toBe('failed');
    expect(call?.detail).toContain('SIGKILL');
    expect((await troupe.servers()).map((s) => s.pid)).toEqual(before.map((s) => s.pid));
  });

  it('main that stands still for seconds harms no role server and starts nothing twice', async () => {
    const config = '[subagents]\nprobe_every_s = 1\nprobe_misses = 2\n';
    const troupe = await startTroupe({ config });
    const waits = await troupe.start('planner', '[[delay=5000]] waited');
    const works = await troupe.start('coder', '[[tool shell {"command":"sleep 5"}]] worked');
    for (const { task_id } of [waits, works])
      await until(async () => (await troupe.task(task_id)).status === 'running', 30_000, 'it runs');
    const before = (await troupe.servers()).map((s) => s.pid);
    process.kill(troupe.pid, 'SIGSTOP');
    await passed(3_500);
    process.kill(troupe.pid, 'SIGCONT');
    expect((await troupe.ended(waits.task_id)).result).toBe('waited');
    expect((await troupe.ended(works.task_id)).result).toBe('worked');
    expect((await troupe.servers()).map((s) => s.pid)).toEqual(before);
    for (const { task_id } of [waits, works])
      expect(await states(troupe, `&task_id=${task_id}&kinds=subagent`)).toEqual([
        ...['created', 'assigned', 'running', 'completed'],
      ]);
  });

  it('a role server that dies right after the guard takes its commands along', async () => {
    const troupe = await startTroupe();
    const command = 'setsid sleep 600 & (setsid sh -c "sleep 601 & sleep 602" &) ; sleep 603';
    const { task_id } = await troupe.start('coder', shellTask(command));
    await until(() => commands(troupe).length === 4, 30_000, 'the commands run');
    const pids = commands(troupe).map((p) => p.pid);
    const guard = descendants(troupe.pid).find((p) => p.command.includes('troupe-guard'));
    const [server] = await troupe.servers();
    process.kill(guard?.pid as number, 'SIGKILL');
    process.kill(server?.pid as number, 'SIGKILL');
    await until(() => !pids.some(alive), 2_000, 'the commands are gone');
    expect((await troupe.ended(task_id)).result).toBe('done');
  });

  it('SIGTERM at any moment of a start ends it, leaves nothing, and the folder stays usable', async () => {
    const folder = tempFolder();
    for (const ms of [20, 120, 250, 400, 600]) {
      const main = spawn(process.execPath, ['dist/bin/server.js'], {
        ...{ env: productEnv(folder), stdio: 'ignore' },
      });
      const gone = once(main, 'exit', { signal: AbortSignal.timeout(15_000) });
      await passed(ms);
      main.kill('SIGTERM');
      await gone;
      expect(descendants(main.pid as number)).toEqual([]);
    }
    const troupe = await startTroupe({ folder });
    expect((await troupe.ended((await troupe.start('coder', 'after')).task_id)).result).toBe(
      'after',
    );
  });
});
