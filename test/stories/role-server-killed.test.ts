// kill -9 of a role server: main and the others go on, and its runs go on in a new process from their last checkpoint.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alive } from '../support/process-table.ts';
import { shellTask, startTroupe, type TaskView, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const serverOf = async (troupe: Troupe, role: string) =>
  (await troupe.servers()).find((server) => server.role === role && server.pid !== null);
async function logOf(troupe: Troupe, { query_id }: TaskView): Promise<string> {
  const query = await troupe.call<{ workdir: string }>('GET', `/v1/queries/${query_id}`);
  return join(query.workdir, 'log.txt');
}
const states = async (troupe: Troupe, filter: string): Promise<string[]> =>
  (await troupe.events(filter)).map((e) => e.state);

describe('kill -9 of a role server', { timeout: 60_000 }, () => {
  it('lets its run go on in a new process from the checkpoint, and repeats no tool call', async () => {
    const troupe = await startTroupe();
    const sibling = await troupe.start('reviewer', '[[delay=4000]] not disturbed');
    const command = JSON.stringify({ command: 'echo once >> log.txt' });
    const task = await troupe.start('coder', `[[tool shell ${command}]] [[delay=3000]] done`);
    const of_task = `&task_id=${task.task_id}`;
    await until(
      async () => (await states(troupe, `${of_task}&kinds=tool`)).includes('finished'),
      30_000,
      'the tool call is over',
    );
    const before = await until(() => serverOf(troupe, 'coder'), 10_000, 'the role server');
    const other = await until(() => serverOf(troupe, 'reviewer'), 10_000, 'its sibling');
    process.kill(before.pid as number, 'SIGKILL');

    expect(await troupe.ended(task.task_id)).toMatchObject({ status: 'completed', result: 'done' });
    expect(readFileSync(await logOf(troupe, task), 'utf8')).toBe('once\n');
    expect(await states(troupe, `${of_task}&kinds=tool`)).toEqual(['started', 'finished']);
    const after = await serverOf(troupe, 'coder');
    expect(after).toMatchObject({ state: 'ready', restarts: 1, pid: expect.any(Number) });
    expect(after?.pid).not.toBe(before.pid);

    // What happened stands in the events.
    expect(await states(troupe, `${of_task}&kinds=subagent`)).toEqual([
      ...['created', 'assigned', 'running', 'assigned', 'running', 'completed'],
    ]);
    const [, , , resumed] = await troupe.events(`${of_task}&kinds=subagent`);
    expect(resumed).toMatchObject({ data: { reason: 'killed', signal: 'SIGKILL' } });
    expect(resumed?.detail).toContain('resuming');
    const lives = await troupe.events('&role=coder&kinds=server');
    expect(lives.map((e) => e.state)).toEqual(['spawned', 'ready', 'crashed', 'spawned', 'ready']);
    expect(lives[2]?.data).toMatchObject({ pid: before.pid, signal: 'SIGKILL' });

    expect(await troupe.ended(sibling.task_id)).toMatchObject({ result: 'not disturbed' });
    expect((await serverOf(troupe, 'reviewer'))?.pid).toBe(other.pid);
    expect(await states(troupe, `&task_id=${sibling.task_id}&kinds=subagent`)).toEqual([
      ...['created', 'assigned', 'running', 'completed'],
    ]);
    expect(alive(troupe.pid)).toBe(true);
  });

  it('in the middle of a command ends the command too, and does not run it again', async () => {
    const troupe = await startTroupe();
    const command = 'echo once >> log.txt; setsid sleep 600 & sleep 601';
    const task = await troupe.start('coder', shellTask(command));
    const log = await logOf(troupe, task);
    const sleepers = () => troupe.family().filter((p) => /^sleep 60\d$/.test(p.command));
    await until(() => existsSync(log) && sleepers().length === 2, 30_000, 'the command runs');
    const { pid } = await until(() => serverOf(troupe, 'coder'), 10_000, 'the role server');
    process.kill(pid as number, 'SIGKILL');
    expect(await troupe.ended(task.task_id)).toMatchObject({ status: 'completed', result: 'done' });
    expect(readFileSync(log, 'utf8')).toBe('once\n');
    expect(sleepers()).toEqual([]);
    const calls = await states(troupe, `&task_id=${task.task_id}&kinds=tool`);
    expect(calls.filter((state) => state === 'started')).toHaveLength(1);
  });

  it('again and again takes all its runs along each time, and none is lost', async () => {
    const troupe = await startTroupe();
    const texts = ['one', 'two', 'three', 'four', 'five', 'six'];
    const tasks = await Promise.all(
      texts.map((text) => troupe.start('coder', `[[delay=2500]] ${text}`)),
    );
    let last = 0;
    for (let round = 0; round < 3; round += 1) {
      const server = await until(
        async () => {
          const now = await serverOf(troupe, 'coder');
          return now?.state === 'ready' && now.pid !== last && now.active_runs === 4 && now;
        },
        30_000,
        'a new role server with four runs',
      );
      last = server.pid as number;
      process.kill(last, 'SIGKILL');
    }
    const ends = await Promise.all(tasks.map((task) => troupe.ended(task.task_id)));
    expect(ends.map(({ status, result }) => ({ status, result }))).toEqual(
      texts.map((result) => ({ status: 'completed', result })),
    );
    expect(await troupe.ask('GET', '/readyz')).toMatchObject({ status: 200 });
  });
});
