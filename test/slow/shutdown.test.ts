// SIGTERM to main: in order, in time, with readers told and nothing left; and what ran goes on at the next start.
import { existsSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSse } from '../http/stream-client.ts';
import { openSocket } from '../support/event-socket.ts';
import { alive } from '../support/process-table.ts';
import { shellTask, startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const runs = (troupe: Troupe, command: RegExp) =>
  until(
    () => {
      const found = troupe.family().filter((p) => command.test(p.command));
      return found.length > 0 && found;
    },
    30_000,
    `${command} runs`,
  );
const workdirOf = async (troupe: Troupe, query_id: string): Promise<string> =>
  (await troupe.call<{ workdir: string }>('GET', `/v1/queries/${query_id}`)).workdir;
/** Everything of main is in a group of its own or its descendant: gone means gone. */
const noneLeft = (troupe: Troupe, ms: number) =>
  until(() => troupe.family().length === 0 && !alive(troupe.pid), ms, 'nothing is left');

describe('SIGTERM to main', { timeout: 60_000 }, () => {
  it('with work under way and open readers ends in order: told, exit code 0, nothing left', async () => {
    const troupe = await startTroupe();
    await troupe.start('coder', shellTask('trap "" TERM; sleep 600'));
    await troupe.start('reviewer', '[[delay=600000]] a long model call');
    await troupe.call('POST', '/v1/queries', { input: '[[delay=600000]] a long main agent' });
    await runs(troupe, /sleep 600$/);
    const sse = await openSse(`${troupe.url}/v1/events`);
    const ws = await openSocket(troupe.url, 0);
    // Somebody who opened a stream and reads nothing must not hold up the end.
    const deaf = createConnection(Number(new URL(troupe.url).port), '127.0.0.1');
    deaf.on('error', () => {}).pause();
    deaf.write('GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n');
    onTestFinished(() => void deaf.destroy());
    await until(() => sse.seqs().length > 5 && ws.seqs().length > 5, 10_000, 'both read');

    const since = performance.now();
    expect(await troupe.stop()).toEqual({ code: 0, signal: null });
    // Drain and kill of the defaults are 12 s; work that can be resumed does not need them.
    expect(performance.now() - since).toBeLessThan(6_000);
    expect(sse.frames.at(-1)).toMatchObject({ event: 'shutdown' });
    expect(JSON.parse(sse.frames.at(-1)?.data ?? '')).toHaveProperty('retry_ms');
    await sse.ended;
    expect(ws.messages.at(-1)).toMatchObject({ type: 'shutdown' });
    expect(await ws.closed).toBe(1012);
    expect(troupe.family()).toEqual([]);
  });

  it('a second signal ends at once with another code, and nothing is alive after 2 s', async () => {
    // A role server that nothing but a kill can end would keep an orderly end waiting.
    const troupe = await startTroupe({ env: { TROUPE_LOG_LEVEL: 'info' } });
    await troupe.start('coder', shellTask('trap "" TERM; setsid sleep 600 & sleep 601'));
    await runs(troupe, /sleep 601$/);
    const [server] = await troupe.servers();
    process.kill(server?.pid as number, 'SIGSTOP');
    const ended = troupe.stop();
    await until(() => troupe.output().includes('shutting down'), 10_000, 'the first is taken');
    const since = performance.now();
    // What comes in the same moment counts as one: somebody who means it sends it again.
    const again = setInterval(() => process.kill(troupe.pid, 'SIGTERM'), 100);
    const { code, signal } = await ended.finally(() => clearInterval(again));
    expect(performance.now() - since).toBeLessThan(2_000);
    expect(signal).toBeNull();
    expect(code).not.toBe(0);
    await noneLeft(troupe, 2_000);
  });

  it('while role servers start: the starts are given up, nothing is left', async () => {
    for (let round = 0; round < 3; round += 1) {
      const troupe = await startTroupe();
      const roles = ['coder', 'planner', 'reviewer', 'researcher', 'backend'];
      await Promise.all(roles.map((role) => troupe.start(role, '[[delay=600000]] x')));
      if (round > 0)
        await until(() => troupe.family().length >= round, 10_000, 'a start is under way');
      expect(await troupe.stop()).toEqual({ code: 0, signal: null });
      expect(troupe.family()).toEqual([]);
    }
  });

  it('a command that ends within a moment is checkpointed and not run again', async () => {
    const first = await startTroupe();
    const command = 'touch begun; sleep 0.6; echo once >> log.txt';
    const { task_id, query_id } = await first.start('coder', shellTask(command));
    const workdir = await workdirOf(first, query_id);
    await until(() => existsSync(join(workdir, 'begun')), 30_000, 'the command runs');
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    const second = await startTroupe({ folder: first.folder });
    expect(await second.ended(task_id)).toMatchObject({ status: 'completed', result: 'done' });
    expect(readFileSync(join(workdir, 'log.txt'), 'utf8')).toBe('once\n');
    const calls = await second.events(`&task_id=${task_id}&kinds=tool`);
    expect(calls.map((e) => e.state)).toEqual(['started', 'finished']);
  });

  it('what takes longer is stopped, and goes on at the next start with what is known of it', async () => {
    const first = await startTroupe();
    const command = 'echo once >> log.txt; sleep 600';
    const shell = await first.start('coder', shellTask(command));
    const model = await first.start('reviewer', '[[delay=3000]] looked');
    const query = await first.call<{ query_id: string }>('POST', '/v1/queries', {
      input: `[[tool start_async_task {"subagent_type":"planner","description":"[[delay=2500]] plan"}]] planned`,
    });
    const workdir = await workdirOf(first, shell.query_id);
    await until(() => existsSync(join(workdir, 'log.txt')), 30_000, 'the command runs');
    const running = async () => (await first.servers()).filter((s) => s.active_runs > 0).length;
    await until(async () => (await running()) === 3, 30_000, 'all three run');
    expect(await first.stop()).toEqual({ code: 0, signal: null });

    const second = await startTroupe({ folder: first.folder });
    expect(await second.ended(shell.task_id)).toMatchObject({ status: 'completed' });
    expect(await second.ended(model.task_id)).toMatchObject({ result: 'looked' });
    expect(readFileSync(join(workdir, 'log.txt'), 'utf8')).toBe('once\n');
    const { status, answer } = await second.call<{ status: string; answer: string }>(
      'GET',
      `/v1/queries/${query.query_id}?wait_ms=30000`,
    );
    expect({ status, answer }).toMatchObject({ status: 'completed', answer: 'planned' });
    const states = (await second.events('&kinds=subagent')).map((e) => e.state);
    expect(states).not.toContain('cancelled');
    expect(states).not.toContain('failed');
  });
});
