import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkGit, checkNode, checkNpmScripts, checkSqlite } from '../../src/cli/doctor/machine.ts';
import { checkStateDir } from '../../src/cli/doctor/place.ts';
import { BUILT_IN_ROLES } from '../../src/domain/role.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { troupe } from './troupe.ts';

/** A folder of one's own as home and current folder: nothing of this machine is read. */
function alone(config = ''): { cwd: string; env: Record<string, string> } {
  const cwd = tempFolder();
  if (config !== '') writeFileSync(join(cwd, 'config.toml'), config);
  return { cwd, env: { HOME: cwd, TROUPE_MODEL: 'offline', TROUPE_PORT: '0' } };
}

it('lists exactly the ten roles without configuration and without a server', async () => {
  const { code, out } = await troupe(['roles', 'list', '--local', '--json'], alone());
  expect(code).toBe(0);
  expect(JSON.parse(out).map((r: { name: string }) => r.name)).toEqual([...BUILT_IN_ROLES]);
});

it('shows where each field of a role comes from, and the known names for an unknown one', async () => {
  const at = alone('[async_subagents.coder]\nmodel = "echo"\n');
  const { out } = await troupe(['roles', 'show', 'coder', '--local'], at);
  expect(out).toMatch(/model +config\.toml:2 +echo/);
  const unknown = await troupe(['roles', 'show', 'codr', '--local'], at);
  expect(unknown.code).toBe(5);
  expect(unknown.err).toContain('coder');
});

it('checks the configuration: every problem at once and exit code 1', async () => {
  const bad = alone('[server]\nport = "many"\nhots = "x"\n[limits]\nmax_iterations = 0\n');
  const { code, out } = await troupe(['config', 'check'], bad);
  expect(code).toBe(1);
  for (const part of ['config.toml:2', 'config.toml:3', 'config.toml:5', 'refuse to start'])
    expect(out).toContain(part);
  const json = await troupe(['config', 'check', '--json'], bad);
  expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: { length: 3 } });
  expect((await troupe(['config', 'check'], alone('[server]\nport = 9000\n'))).code).toBe(0);
});

it('shows every value with its source and no secret', async () => {
  const { cwd, env } = alone('[server]\nlog_level = "warn"\n');
  const keyed = { cwd, env: { ...env, OPENAI_API_KEY: 'sk-very-secret-value' } };
  const { code, out } = await troupe(['config', 'show', '--max-subagents', '7'], keyed);
  expect(code).toBe(0);
  expect(out).toMatch(/server\.log_level +config\.toml:2 +warn/);
  expect(out).toMatch(/subagents\.max +flag --max-subagents +7/);
  expect(out).toMatch(/models\.openai\.api_key +env OPENAI_API_KEY +\*+/);
  expect(out).not.toContain('very-secret');
});

it('examines a good machine and exits 0', async () => {
  const { code, out } = await troupe(['doctor', '--json'], alone());
  const { checks } = JSON.parse(out) as { checks: { name: string; level: string }[] };
  expect(code).toBe(0);
  const levels = Object.fromEntries(checks.map((c) => [c.name, c.level]));
  expect(levels).toMatchObject({
    ...{ node: 'ok', database: 'ok', configuration: 'ok', port: 'ok', 'state folder': 'ok' },
    ...{ model: 'ok' },
  });
});

it('finds a taken port and names the fix', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  // The stranger accepts and says nothing: the doctor must not wait for it for ever.
  const { code, out } = await troupe(['doctor', '--port', String(port)], alone());
  expect(code).toBe(1);
  expect(out).toMatch(new RegExp(`fail +port +127\\.0\\.0\\.1:${port} cannot be used: EADDRINUSE`));
  expect(out).toContain('TROUPE_PORT');
});

it('finds a model that cannot be reached, and a configuration that is wrong', async () => {
  const { cwd, env } = alone();
  const model = {
    ...env,
    TROUPE_MODEL: 'openai:x',
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
  };
  const unreachable = await troupe(['doctor'], { cwd, env: model });
  expect(unreachable.code).toBe(1);
  expect(unreachable.out).toMatch(/fail +model +openai:x .*no answer from http:\/\/127\.0\.0\.1:9/);
  const wrong = await troupe(['doctor'], { cwd, env: { ...env, MAX_SUBAGENTS: '101' } });
  expect(wrong.code).toBe(1);
  expect(wrong.out).toMatch(/fail +configuration[\s\S]*MAX_SUBAGENTS/);
});

it('finds what is wrong with a state folder', async () => {
  const folder = tempFolder();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(await checkStateDir(file, async () => null)).toMatchObject({ level: 'fail' });
  expect(await checkStateDir(join(folder, 'new', 'data'), async () => null)).toMatchObject({
    level: 'ok',
  });
  const used = await checkStateDir(folder, async () => 'in use by pid 7');
  expect(used).toMatchObject({ level: 'warn', found: 'in use by pid 7' });
});

it('finds an old Node, a missing git, switched-off scripts and a broken binding', async () => {
  expect(checkNode('v18.20.0')).toMatchObject({ level: 'fail' });
  expect(checkNode('v20.19.0').level).toBe('ok');
  const folder = tempFolder();
  expect(checkGit({ PATH: folder })).toMatchObject({ level: 'warn' });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'git'), '');
  chmodSync(join(folder, 'bin', 'git'), 0o755);
  expect(checkGit({ PATH: join(folder, 'bin') }).level).toBe('ok');
  writeFileSync(join(folder, '.npmrc'), 'ignore-scripts=true\n');
  expect(checkNpmScripts({}, { cwd: folder, home: folder })).toMatchObject({ level: 'warn' });
  const broken = await checkSqlite(async () => {
    throw new Error('Could not locate the bindings file');
  });
  expect(broken).toMatchObject({ level: 'fail', fix: expect.stringContaining('npm rebuild') });
});
