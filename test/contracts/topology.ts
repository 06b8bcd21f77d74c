// What a task may rely on wherever its role lives: in a process of its own or inside main.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellTask, startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

export type Topology = {
  name: 'split' | 'single' | 'hybrid';
  /** More of config.toml. */
  config: string;
  /** The roles that are processes; all others live in main. */
  processes: readonly string[];
};

/** Nobody listens at the address of the last two. */
const ROLES = `
[async_subagents.planner]
may_start = ["coder"]
[async_subagents.far]
description = "Somebody else."
url = "http://127.0.0.1:9"
alternate = "none"
[async_subagents.farther]
description = "Somebody else, with a stand-in."
url = "http://127.0.0.1:9"
alternate = "reviewer"
[subagents]
restart_limit = 2
`;
const startTask = (subagent_type: string, description: string): string =>
  `[[tool start_async_task ${JSON.stringify({ subagent_type, description })}]]`;

export function topologyContract({ name, config, processes }: Topology): void {
  const start = (folder?: string): Promise<Troupe> =>
    startTroupe({
      env: { TROUPE_TOPOLOGY: name },
      config: `${config}${ROLES}`,
      ...(folder ? { folder } : {}),
    });
  const states = async (troupe: Troupe, task_id: string): Promise<string[]> =>
    (await troupe.events(`&task_id=${task_id}&kinds=subagent`)).map((e) => e.state);
  const workdirOf = async (troupe: Troupe, query_id: string): Promise<string> =>
    (await troupe.call<{ workdir: string }>('GET', `/v1/queries/${query_id}`)).workdir;

  describe(`the ${name} topology`, { timeout: 60_000 }, () => {
    it('runs a task from created to completed, in the process where its role lives', async () => {
      const troupe = await start();
      for (const role of ['coder', 'planner']) {
        const { task_id } = await troupe.start(role, `[[tool list {}]] ${role} has worked`);
        expect(await troupe.ended(task_id)).toMatchObject({
          ...{ status: 'completed', result: `${role} has worked`, error: null },
        });
        const lived = ['created', 'assigned', 'running', 'completed'];
        expect(await states(troupe, task_id)).toEqual(lived);
      }
      const servers = await troupe.servers();
      for (const { role, pid, endpoint } of servers)
        if (processes.includes(role)) expect(pid).toBeGreaterThan(0);
        else expect({ pid, endpoint }).toEqual({ pid: null, endpoint: `inproc:${role}` });
      const workers = troupe.family().filter((p) => p.command.includes('worker'));
      expect(workers.length).toBe(servers.filter((s) => processes.includes(s.role)).length);
    });

    it('stops the shell command of a task before anybody sees that it is cancelled', async () => {
      const troupe = await start();
      const cancelled = ['coder', 'planner'].map(async (role, index) => {
        const sleep = (n: number): string => `sleep 6${index}${n}`;
        const command = `setsid ${sleep(0)} & ${sleep(1)}`;
        const { task_id } = await troupe.start(role, shellTask(command));
        const commands = () =>
          troupe.family().filter((p) => [sleep(0), sleep(1)].includes(p.command));
        await until(() => commands().length === 2, 30_000, 'both commands run');
        const answer = await troupe.ask('POST', `/v1/tasks/${task_id}/cancel`, {});
        expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled' } });
        expect(commands()).toEqual([]);
        expect((await states(troupe, task_id)).at(-1)).toBe('cancelled');
      });
      await Promise.all(cancelled);
    });

    it('lets a run start a child in another role and waits for it, in both directions', async () => {
      const troupe = await start();
      for (const [parent, child] of [
        ['planner', 'coder'],
        ['coder', 'reviewer'],
      ] as const) {
        const nested = `${startTask(child, `[[delay=300]] ${child} made it`)} ${parent} is done`;
        const { task_id, query_id } = await troupe.start(parent, nested);
        const ended = await troupe.ended(task_id);
        expect(ended).toMatchObject({ status: 'completed', result: `${parent} is done` });
        const { data } = await troupe.call<{ data: { task_id: string; status: string }[] }>(
          ...(['GET', `/v1/tasks?query_id=${query_id}`] as const),
        );
        const inner = data.find((task) => task.task_id !== task_id);
        expect(await troupe.task(inner?.task_id ?? '')).toMatchObject({
          ...{ subagent_type: child, parent_task_id: task_id, depth: 2 },
          ...{ status: 'completed', result: `${child} made it` },
        });
        const ends = (await troupe.events(`&query_id=${query_id}&kinds=subagent`))
          .filter((e) => e.state === 'completed')
          .map((e) => e.role);
        expect(ends).toEqual([child, parent]);
      }
    });

    it('shows a run that fails as failed, with its reason', async () => {
      const troupe = await start();
      for (const role of ['coder', 'planner']) {
        const { task_id } = await troupe.start(role, '[[fail]] no good');
        const task = await troupe.ended(task_id);
        expect(task).toMatchObject({ status: 'failed', error: { code: 'model_error' } });
        expect(task.error?.message).toContain('[[fail]]');
      }
    });

    it('goes on with the whole thread after an update of a task that has ended', async () => {
      const troupe = await start();
      for (const role of ['coder', 'planner']) {
        const { task_id } = await troupe.start(role, '[[tool list {}]] first');
        expect(await troupe.ended(task_id)).toMatchObject({ result: 'first' });
        const text = '[[tool list {}]] second';
        await troupe.call('POST', `/v1/tasks/${task_id}/messages`, {
          ...{ text, mode: 'interrupt' },
        });
        expect(await troupe.ended(task_id)).toMatchObject({ task_id, result: 'second' });
        // The ids that echo gives to its calls hold the number of messages before them.
        const calls = (await troupe.events(`&task_id=${task_id}&kinds=tool`))
          .filter((e) => e.state === 'started')
          .map((e) => Number(/^echo_(\d+)_/.exec(String(e.data.call_id))?.[1]));
        expect(calls).toHaveLength(2);
        expect(calls[1]).toBeGreaterThan((calls[0] as number) + 2);
      }
    });

    it('leaves what runs at a SIGTERM to the next start, which goes on and repeats nothing', async () => {
      const first = await start();
      const command = 'echo once >> log.txt; sleep 600';
      const started = [];
      for (const role of ['coder', 'planner']) {
        const task = await first.start(role, shellTask(command));
        const log = join(await workdirOf(first, task.query_id), 'log.txt');
        await until(() => existsSync(log), 30_000, `the command of ${role} runs`);
        started.push({ ...task, log });
      }
      expect(await first.stop()).toEqual({ code: 0, signal: null });
      const second = await start(first.folder);
      for (const { task_id, log } of started) {
        expect(await second.ended(task_id)).toMatchObject({ status: 'completed', result: 'done' });
        expect(readFileSync(log, 'utf8')).toBe('once\n');
      }
    });

    it('shows a remote role that cannot be reached as an error, and names a stand-in', async () => {
      const troupe = await start();
      const far = await troupe.ended((await troupe.start('far', 'hello')).task_id);
      expect(far).toMatchObject({ status: 'failed', error: expect.any(Object) });
      expect(far.error?.message).toContain('127.0.0.1:9');
      expect(far.attempts.map((attempt) => attempt.role)).toEqual(['far']);
      expect(new Set((await troupe.events('&kinds=server')).map((e) => e.role))).toEqual(
        new Set(['far']),
      );
      expect(troupe.family()).toEqual([]);

      const { task_id } = await troupe.start('farther', 'hello');
      expect((await troupe.ended(task_id)).attempts).toMatchObject([
        { role: 'farther', status: 'failed', error: expect.stringContaining('127.0.0.1:9') },
        { role: 'reviewer', status: 'completed', error: null },
      ]);
      expect(await troupe.events(`&task_id=${task_id}&kinds=policy`)).not.toEqual([]);
    });
  });
}
