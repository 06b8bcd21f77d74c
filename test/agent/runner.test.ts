import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRunner, type RunnerDeps, toolsFor } from '../../src/agent/runner.ts';
import { AppError } from '../../src/domain/errors.ts';
import { silentLog, systemClock } from '../../src/domain/ports.ts';
import { roleTools } from '../../src/tools/index.ts';
import { marked } from '../support/process-table.ts';
import { until } from '../support/until.ts';
import { envelope, fakeTool, type Scripted, scriptedHost } from './scripted-host.ts';

function runnerOver(host: Scripted, more: Partial<RunnerDeps> = {}) {
  const runner = createRunner({
    tools: roleTools({ PATH: process.env.PATH }),
    hostFor: () => host.host,
    markers: { TROUPE_INSTANCE: 'test' },
    cancelDeadlineMs: 5_000,
    log: silentLog,
    clock: systemClock,
    ...more,
  });
  onTestFinished(() => runner.close());
  return runner;
}
const ended = (host: Scripted) => until(() => host.of('result').length > 0, 10_000, 'the outcome');

describe('runner', () => {
  it('runs an envelope with real tools and reports once', async () => {
    const host = scriptedHost([
      { calls: [['write', { path: 'a/b.txt', content: '안녕' }]] },
      { calls: [['shell', { command: 'cat a/b.txt; (sleep 600 >/dev/null &) ' }]] },
      { text: 'done' },
    ]);
    const runner = runnerOver(host);
    const work = envelope({ prompt: 'You write files.' });
    runner.start(work);
    runner.start(work);
    expect(runner.status(work.run_id)).toEqual({ status: 'running' });
    expect(runner.active()).toBe(1);
    await ended(host);
    await until(() => runner.active() === 0, 5_000, 'the run to be over');
    expect(runner.status(work.run_id)).toEqual({ status: 'completed' });
    expect(host.outcome().background_left).toEqual([
      expect.stringMatching(/^sleep 600 \(pid \d+\)$/),
    ]);
    expect(readFileSync(join(work.workdir, 'a/b.txt'), 'utf8')).toBe('안녕');
    expect(marked('TROUPE_RUN', work.run_id)).toEqual([]);
    const system = host.of('model')[0]?.request.messages[0]?.content ?? '';
    expect(system).toContain('You write files.');
    expect(system).toContain(work.workdir);
    expect(system).toContain('language of the request');
    expect(system).toContain('Depth: 1 of 2 (DEPTH_1)');
    expect(runner.steer(work.run_id, 'late')).toBe('missed');
    expect(() => runner.start({ ...work, run_token: 'other' })).toThrow(/another token/);
  });

  it('a result that main cannot take is followed by one that it can, with what fits', async () => {
    const host = scriptedHost([{ text: '결과'.repeat(20_000) }]);
    const take = host.host.result;
    host.host.result = async (outcome, last) => {
      if (Buffer.byteLength(outcome.text) > 100_000)
        throw new AppError('body_too_large', '120000 bytes, more than 100000');
      await take(outcome, last);
    };
    const runner = runnerOver(host);
    const work = envelope();
    runner.start(work);
    await ended(host);
    expect(host.outcome()).toMatchObject({ status: 'failed', error: { code: 'body_too_large' } });
    expect(host.outcome().error?.message).toContain('120000 bytes');
    expect(host.outcome().text).toMatch(/^(결과)+결?$/);
  });

  it('cancel resolves when the command and all that it started are gone, and nothing runs after it', async () => {
    const host = scriptedHost((n) => ({
      calls: [
        [
          'shell',
          {
            command: 'setsid sleep 601 & trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done',
          },
        ],
        ['write', { path: `after-${n}`, content: 'x' }],
      ],
    }));
    const runner = runnerOver(host);
    const work = envelope();
    runner.start(work);
    const file = join(work.workdir, 'pid');
    await until(() => existsSync(file) && statSync(file).size > 0, 10_000, 'the command');
    await runner.cancel(work.run_id, 'the user asked');
    expect(marked('TROUPE_RUN', work.run_id)).toEqual([]);
    await ended(host);
    expect(host.outcome()).toMatchObject({
      status: 'cancelled',
      error: { message: 'the user asked' },
    });
    expect(existsSync(join(work.workdir, 'after-0'))).toBe(false);
    expect(host.of('model')).toHaveLength(1);
    await until(() => runner.status(work.run_id)?.status === 'cancelled', 5_000, 'the status');
  });

  it('a cancel that overtakes its start keeps the run from ever starting', async () => {
    const host = scriptedHost([{ text: 'never asked for' }]);
    const runner = runnerOver(host);
    const work = envelope();
    await runner.cancel(work.run_id, 'at once');
    runner.start(work);
    expect(runner.status(work.run_id)).toEqual({ status: 'cancelled' });
    expect(runner.active()).toBe(0);
    expect(host.of('model')).toEqual([]);
  });

  it('a cancel that does not end is server_hung at the deadline', async () => {
    let release = (): void => {};
    const deaf = {
      ...fakeTool('read'),
      run: () =>
        new Promise<never>((_, reject) => {
          release = () => reject(new Error('late'));
        }),
    };
    const host = scriptedHost([{ calls: [['read', {}]] }]);
    const runner = runnerOver(host, { tools: [deaf], cancelDeadlineMs: 100 });
    const work = envelope();
    runner.start(work);
    await until(() => host.of('started').length > 0, 5_000, 'the tool');
    await expect(runner.cancel(work.run_id, 'stop')).rejects.toMatchObject({ code: 'server_hung' });
    release();
    await ended(host);
  });

  it('steers a run, and misses an unknown one', async () => {
    const host = scriptedHost((n) => {
      if (n === 0) expect(runner.steer(work.run_id, 'go left')).toBe('delivered');
      return { text: n === 0 ? 'straight' : 'left' };
    });
    const runner = runnerOver(host);
    const work = envelope();
    runner.start(work);
    await ended(host);
    expect(host.outcome().text).toBe('left');
    expect(runner.steer('nobody', 'x')).toBe('missed');
    expect(runner.status('nobody')).toBeNull();
    await runner.cancel('nobody', 'x');
  });

  it('an outcome that main does not take is not reported twice and does not break the process', async () => {
    const host = scriptedHost([{ text: 'ok' }]);
    let asked = 0;
    host.host.result = async () => {
      asked += 1;
      throw new Error('fenced');
    };
    const runner = runnerOver(host);
    const work = envelope();
    runner.start(work);
    await until(() => runner.active() === 0, 5_000, 'the end');
    expect(asked).toBe(1);
    expect(runner.status(work.run_id)).toEqual({ status: 'failed' });
  });

  it('close leaves what runs without an outcome, and what was said to it in the thread', async () => {
    const host = scriptedHost([{ hang: true }]);
    const runner = runnerOver(host);
    const work = envelope();
    runner.start(work);
    await until(() => host.of('model').length > 0, 5_000, 'the model call');
    expect(runner.steer(work.run_id, 'go left')).toBe('delivered');
    await runner.close();
    expect(host.of('result')).toEqual([]);
    expect(JSON.stringify(host.of('step'))).toContain('go left');
    expect(runner.active()).toBe(0);
    expect(runner.status(work.run_id)).toEqual({ status: 'left' });
  });

  it('close with a grace lets a run reach its checkpoint, and starts nothing after it', async () => {
    const host = scriptedHost([
      { calls: [['shell', { command: 'touch begun; sleep 0.3; echo done' }]] },
      { text: 'never asked for' },
    ]);
    const runner = runnerOver(host);
    const work = envelope();
    runner.start(work);
    await until(() => existsSync(join(work.workdir, 'begun')), 10_000, 'the command');
    await runner.close(10_000);
    expect(host.of('model')).toHaveLength(1);
    expect(JSON.stringify(host.of('step').at(-1))).toContain('done');
    expect(host.of('result')).toEqual([]);
  });

  it('gives a run only its tools, and a leaf no way to delegate', () => {
    const tools = roleTools();
    const names = tools.map((t) => t.name);
    const spawn = { may_start: ['researcher'], depth: 1, max_depth: 2, status: 'DEPTH_1' } as const;
    const parent = envelope({ tools: names, spawn: { ...spawn, may_start: ['researcher'] } });
    expect(toolsFor(parent, tools).map((t) => t.name)).toEqual(names);
    const leaf = { ...parent, spawn: { ...parent.spawn, depth: 2, status: 'LEAF_NODE' as const } };
    expect(toolsFor(leaf, tools).some((t) => t.name.includes('async'))).toBe(false);
    expect(toolsFor(envelope({ tools: ['read'] }), tools).map((t) => t.name)).toEqual(['read']);
  });
});
