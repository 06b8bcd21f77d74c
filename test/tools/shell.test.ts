import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alive, marked } from '../support/process-table.ts';
import { until } from '../support/until.ts';
import { type Kit, toolKit } from './tool-context.ts';

let kit: Kit;
beforeEach(() => {
  kit = toolKit();
});
afterEach(async () => {
  await kit.endRun();
  expect(marked('TROUPE_RUN', kit.run_id)).toEqual([]);
});
const shell = (command: string, more: object = {}, ctx: object = {}) =>
  kit.call('shell', { command, ...more }, ctx);
const logs = (): string[] =>
  existsSync(join(kit.workdir, '.troupe'))
    ? readdirSync(join(kit.workdir, '.troupe')).filter((name) => name.endsWith('.log'))
    : [];

describe('shell', () => {
  it('gives output, exit code and duration, and leaves no log of a short command', async () => {
    const good = await shell('echo out; echo err >&2; pwd');
    expect(good.ok).toBe(true);
    expect(good.exit_code).toBe(0);
    expect(good.content).toContain('out\n');
    expect(good.content).toContain('err\n');
    expect(good.content).toContain(kit.workdir);
    expect(good.content).toMatch(/\[exit code 0, \d+\.\d s\]$/);
    const bad = await shell('exit 3');
    expect(bad).toMatchObject({ ok: false, exit_code: 3 });
    expect(bad.content).toContain('(no output)\n[exit code 3');
    expect((await shell('kill -9 $$')).content).toContain('ended by signal SIGKILL');
    expect(logs()).toEqual([]);
  });

  it('has no input and only the environment that it may have', async () => {
    process.env.PROVIDER_TEST_KEY = 'sk-secret';
    const seen = await shell('cat; env | sort');
    delete process.env.PROVIDER_TEST_KEY;
    expect(seen.content).not.toContain('sk-secret');
    expect(seen.content).toContain(`TROUPE_RUN=${kit.run_id}`);
    expect(seen.content).toContain('TROUPE_INSTANCE=test');
    expect(seen.content).toContain(`HOME=${kit.workdir}/.troupe/home`);
  });

  it.each(['sleep 600 & echo ok', 'setsid sleep 600 & echo ok', '(sleep 600 &) ; echo ok'])(
    '"%s" returns, names what is left, and the end of the run stops it',
    async (command) => {
      const seen = await shell(command);
      expect(seen.ok).toBe(true);
      expect(seen.content).toContain('ok\n');
      expect(seen.content).toMatch(
        /1 background process\(es\) still running: sleep 600 \(pid \d+\)/,
      );
      const left = marked('TROUPE_RUN', kit.run_id);
      expect(left.map((p) => p.command)).toEqual(['sleep 600']);
      expect(await kit.endRun()).toEqual([`sleep 600 (pid ${left[0]?.pid})`]);
      expect(alive(left[0]?.pid ?? 0)).toBe(false);
      expect(await kit.endRun()).toEqual([]);
    },
  );

  it('a background job that goes on printing is not broken by the end of the call', async () => {
    await shell(
      '(for i in 1 2 3 4 5; do sleep 0.2; echo tick $i; done; echo end > done.txt) & echo ok',
    );
    await until(() => existsSync(join(kit.workdir, 'done.txt')), 10_000, 'the job to end');
    const log = join(kit.workdir, '.troupe', logs()[0] ?? '');
    await until(() => readFileSync(log, 'utf8').includes('tick 5'), 5_000, 'its output in the log');
  });

  it('a timeout stops the command and everything it started', async () => {
    const seen = await shell('trap "" TERM; setsid sleep 601 & sleep 600 & echo begun; wait', {
      timeout_s: 0.5,
    });
    expect(seen.ok).toBe(false);
    expect(seen.content).toContain('begun');
    expect(seen.content).toContain('timed out after 0.5 s');
    expect(marked('TROUPE_RUN', kit.run_id)).toEqual([]);
  });

  it('a timeout of one command leaves a background job of the same run alone', async () => {
    await shell('sleep 600', { background: true });
    await shell('sleep 601', { timeout_s: 0.3 });
    expect(marked('TROUPE_RUN', kit.run_id).some((p) => p.command === 'sleep 600')).toBe(true);
  });

  it('an abort resolves only when everything is gone, commands without environment too', async () => {
    const control = new AbortController();
    const work = shell(
      'env -i sleep 600 & echo $! > pid; setsid sleep 601 & trap "" TERM; while :; do sleep 0.1; done',
      {},
      { signal: control.signal },
    );
    const file = join(kit.workdir, 'pid');
    await until(() => existsSync(file) && statSync(file).size > 0, 5_000, 'the command to start');
    const pid = Number(readFileSync(file, 'utf8'));
    control.abort();
    const seen = await work;
    expect(seen.content).toContain('stopped: ');
    expect(marked('TROUPE_RUN', kit.run_id)).toEqual([]);
    expect(alive(pid)).toBe(false);
    const again = await shell('echo never > never', {}, { signal: control.signal });
    expect(again.ok).toBe(false);
    expect(existsSync(join(kit.workdir, 'never'))).toBe(false);
  });

  it('20 MB of output: start and end for the model, all of it in the log', async () => {
    const seen = await shell('echo FIRST; yes 0123456789 | head -c 20000000; echo; echo LAST');
    expect(Buffer.byteLength(seen.content)).toBeLessThanOrEqual(30_000);
    expect(seen.content.startsWith('FIRST\n')).toBe(true);
    expect(seen.content).toContain('LAST\n[exit code 0');
    expect(seen.content).toMatch(
      /\d+ of 20000012 bytes left out here; the whole is in \.troupe\/call_1\.log/,
    );
    expect(statSync(join(kit.workdir, '.troupe/call_1.log')).size).toBe(20_000_012);
  }, 60_000);

  it('50,000 Hangul syllables arrive byte-exact, even one byte at a time', async () => {
    const text = '가힣뷁'.repeat(17_000);
    const script = `process.stdout.write('가힣뷁'.repeat(17000))`;
    const whole = await shell(`node -e "${script}"`, {}, { result_limit: 400_000 });
    expect(whole.content.startsWith(text)).toBe(true);
    const slow = `const b=Buffer.from('가힣');let i=0;const f=()=>i<b.length&&process.stdout.write(b.subarray(i,++i),()=>setTimeout(f,5));f()`;
    expect((await shell(`node -e "${slow}"`)).content).toContain('가힣\n[exit code 0');
    const cut = await shell(`node -e "${script}"`);
    expect(cut.content).not.toContain('\uFFFD');
    expect(readFileSync(join(kit.workdir, '.troupe/call_3.log'), 'utf8')).toBe(text);
  });

  it('broken UTF-8 becomes well-formed text', async () => {
    const seen = await shell(String.raw`printf '\xff\xfeabc\xed\xa0\x80\xea'`);
    expect(seen.content).toContain('abc');
    expect(Buffer.from(seen.content).toString('utf8')).toBe(seen.content);
  });

  it('shows what a screen would show: no colours, and of a progress bar its last state', async () => {
    const seen = await shell(
      String.raw`printf '\033[31mred\033[0m\n10%%\r50%%\r100%%\nwin\r\na\0b\033]0;title\007c\n'`,
    );
    expect(seen.content).toContain('red\n100%\nwin\r\na\uFFFDbc\n[exit code 0');
    expect((await shell('env')).content).toContain('NO_COLOR=1');
  });

  it('background: true answers at once with pid and log; a quick failure is told', async () => {
    const started = await shell('echo up; sleep 600', { background: true });
    expect(started.ok).toBe(true);
    const pid = Number(/pid (\d+)/.exec(started.content)?.[1]);
    expect(alive(pid)).toBe(true);
    const log = /goes to (\S+\.log)/.exec(started.content)?.[1] ?? '';
    await until(() => readFileSync(join(kit.workdir, log), 'utf8') === 'up\n', 5_000, 'the log');
    expect((await kit.call('read', { path: log })).content).toContain('up');
    const quick = await shell('no-such-command-here', { background: true });
    expect(quick).toMatchObject({ ok: false, exit_code: 127 });
    expect(await kit.endRun()).toContain(`sleep 600 (pid ${pid})`);
    expect(alive(pid)).toBe(false);
  });

  it('the log of a background job ends with how it ended, and looking at it again is a wait', async () => {
    // A fifo holds it until it is told to go on.
    execFileSync('mkfifo', [join(kit.workdir, 'go')]);
    const held = await shell('echo up; read line < go; exit 4', { background: true });
    const log = /goes to (\S+\.log)/.exec(held.content)?.[1] ?? '';
    expect(held.content).toContain(`tail -n 40 ${log}`);
    expect((await shell('echo quick')).waited).toBeUndefined();
    expect((await shell(`sleep 1; tail -n 40 ${log}`)).waited).toBe(true);
    await shell('echo on > go');
    const ended = () =>
      /^up\n\n\[exit code 4, \d+\.\d s\]\n$/.test(readFileSync(join(kit.workdir, log), 'utf8'));
    await until(ended, 5_000, 'the last line of the log');
    expect((await shell('sleep 1')).waited).toBeUndefined();
  });

  it('equal call ids do not overwrite a log, and an id is never a path', async () => {
    const long = 'yes | head -c 100000';
    await shell(long, {}, { call_id: '../../x' });
    await shell(long, {}, { call_id: '../../x' });
    expect(logs().sort()).toEqual(['______x-2.log', '______x.log']);
  });
});
