// Prompts changed while the server runs: by HTTP and by the command line, for the next run, over a restart.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../cli/in-process.ts';
import { type ChatRequest, startProvider } from '../support/fake-provider.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

type Prompt = { default: string; override: string | null; effective: string; warnings: string[] };
const systemOf = (request: ChatRequest | undefined): string => request?.messages[0]?.content ?? '';
const of = (requests: ChatRequest[], text: string): ChatRequest[] =>
  requests.filter((r) => JSON.stringify(r.messages).includes(text));

/** Answers everything but what is told to wait, as long as `hold.on`. */
async function playing() {
  const hold = { on: true };
  const provider = await startProvider((request) =>
    hold.on && JSON.stringify(request.messages).includes('wait here')
      ? 'silence'
      : { text: 'done' },
  );
  return { ...provider, hold };
}
const open = (url: string, folder?: string): Promise<Troupe> =>
  startTroupe({
    config: `[models]\ndefault = "openai:m"\n[models.openai]\nbase_url = "${url}"\napi_key = "k"\n`,
    env: { TROUPE_MODEL: '', TROUPE_TOPOLOGY: 'single' },
    ...(folder ? { folder } : {}),
  });
const PATH = '/v1/roles/coder/prompt';

describe('a prompt that is changed while the server runs', { timeout: 90_000 }, () => {
  it('holds for the next run, not for one at work, and survives a restart', async () => {
    const { requests, url, hold } = await playing();
    const first = await open(url);
    const before = await first.call<Prompt>('GET', PATH);
    expect(before).toMatchObject({ override: null, updated_at: null, mode: 'replace' });
    const busy = await first.start('coder', 'wait here');
    await until(() => of(requests, 'wait here').length > 0, 20_000, 'the task is at work');
    expect(await first.call<Prompt>('PUT', PATH, { prompt: 'You are a PIRATE.' })).toMatchObject({
      ...{ default: before.default, override: 'You are a PIRATE.', effective: 'You are a PIRATE.' },
    });
    await first.ended((await first.start('coder', 'the second')).task_id);
    const second = systemOf(of(requests, 'the second')[0]);
    expect(second).toContain('You are a PIRATE.');
    expect(second).not.toContain(before.default.slice(0, 60));

    await first.kill();
    hold.on = false;
    const asked = requests.length;
    const again = await open(url, first.folder);
    await again.ended(busy.task_id);
    expect(systemOf(of(requests.slice(asked), 'wait here')[0])).toContain(
      before.default.slice(0, 60),
    );
    await again.ended((await again.start('coder', 'the third')).task_id);
    expect(systemOf(of(requests, 'the third')[0])).toContain('You are a PIRATE.');
    expect(await again.call('GET', '/v1/roles/coder')).toMatchObject({
      ...{ system_prompt: 'You are a PIRATE.', sources: { system_prompt: 'override' } },
    });

    expect(await again.call<Prompt>('DELETE', PATH)).toMatchObject({ override: null });
    await again.ended((await again.start('coder', 'the fourth')).task_id);
    expect(systemOf(of(requests, 'the fourth')[0])).toContain(before.default.slice(0, 60));
  });

  it('of the main agent is added to its own, and names that do not agree are reported', async () => {
    const { requests, url } = await playing();
    const troupe = await open(url);
    const path = '/v1/roles/main/prompt';
    const prompt = 'Always call subagent_type="plannner" FIRST.';
    const { warnings, ...now } = await troupe.call<Prompt>('PUT', path, { prompt });
    expect(now.effective).toBe(`${now.default}\n\n${prompt}`);
    expect(warnings.join()).toContain('"plannner", which is not registered');
    expect(warnings.join()).toContain('did you mean "planner"?');
    const headers = { prefer: 'wait=20' };
    await troupe.ask('POST', '/v1/queries', { input: 'hello there' }, headers);
    const system = systemOf(of(requests, 'hello there')[0]);
    expect(system).toContain(now.default.slice(0, 200));
    expect(system).toContain(prompt);
  });

  it('is refused when it is blank, too long, or of nobody', async () => {
    const troupe = await startTroupe({ env: { TROUPE_TOPOLOGY: 'single' } });
    const put = async (path: string, prompt: string) =>
      (await troupe.ask<object>('PUT', path, { prompt })).status;
    expect(await put(PATH, ' \n')).toBe(400);
    expect(await put(PATH, '가'.repeat(11_000))).toBe(400);
    expect(await put('/v1/roles/nobody/prompt', 'x')).toBe(404);
    expect((await troupe.ask('DELETE', '/v1/roles/nobody/prompt')).status).toBe(404);
    expect(await troupe.call<Prompt>('GET', PATH)).toMatchObject({ override: null });
  });

  it('is shown, set and reset by the command line', async () => {
    const troupe = await startTroupe({ env: { TROUPE_TOPOLOGY: 'single' } });
    const run = (...args: string[]) => cli(['--url', troupe.url, 'roles', ...args]);
    const file = join(troupe.folder, 'prompt.md');
    writeFileSync(file, 'Answer in RHYMES.');
    expect((await run('prompt', 'coder')).out).toMatch(/prompt +default/);
    expect(await run('prompt', 'coder', '--set', file)).toMatchObject({ code: 0, err: '' });
    const shown = await run('prompt', 'coder');
    expect(shown.out).toMatch(/used instead\nAnswer in RHYMES\./);
    expect((await run('show', 'coder')).out).toMatch(/system_prompt +override/);
    const args = ['--url', troupe.url, 'roles', 'prompt', 'coder', '--set', '-'];
    execFileSync(process.execPath, ['dist/bin/cli.js', ...args], { input: 'From STDIN.' });
    expect((await run('prompt', 'coder')).out).toContain('From STDIN.');
    expect((await run('prompt', 'coder', '--reset')).out).toContain('is the default again');
    expect((await run('show', 'coder')).out).toMatch(/system_prompt +built-in/);
    expect((await run('prompt', 'coder', '--set', '/none')).code).toBe(2);
  });
});
