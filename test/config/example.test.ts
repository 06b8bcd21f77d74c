import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stale } from '../../scripts/docs.ts';
import { envNames } from '../../src/config/env-settings.ts';
import { ROLE_FIELDS } from '../../src/config/role-fields.ts';
import { SETTINGS } from '../../src/config/schema.ts';
import { newPlace, ROOT } from './place.ts';

const text = (name: string) => readFileSync(join(ROOT, name), 'utf8');
/** Removes the # of the lines that are meant to be used. */
const uncomment = (body: string) => body.replace(/^#(?=[A-Za-z"[])/gm, '');

test('the generated files are up to date', async () => {
  expect((await stale(ROOT)).map(({ name }) => name)).toEqual([]);
});

test('config.example.toml is valid as it is, and with every key in use', () => {
  const place = newPlace();
  place.write('config.toml', text('config.example.toml'));
  expect(place.load().warnings).toEqual([]);
  place.write(
    'config.toml',
    uncomment(text('config.example.toml')).replaceAll('_key_file', '_key'),
  );
  const loaded = place.load();
  expect(loaded.warnings).toEqual([]);
  for (const { path } of SETTINGS)
    expect([path, loaded.sources.get(path)]).toEqual([
      path,
      expect.stringMatching(/^config\.toml:\d+$/),
    ]);
  const sources = [loaded.roleSources.get('translator'), loaded.roleSources.get('far-reviewer')];
  for (const { field } of ROLE_FIELDS)
    expect(
      sources.some((s) => s?.[field]?.startsWith('config.toml:')),
      field,
    ).toBe(true);
});

test('the example shows the defaults', () => {
  const place = newPlace();
  const plain = place.load();
  place.write('config.toml', uncomment(text('config.example.toml')));
  const { config } = place.load();
  for (const section of ['server', 'subagents', 'limits'] as const)
    expect({ ...config[section], api_key: null }).toEqual({
      api_key: null,
      ...plain.config[section],
    });
});

test('.env.example names every variable and is valid with every line in use', () => {
  const place = newPlace();
  place.write('config.toml', '');
  const lines = uncomment(text('.env.example'))
    .split('\n')
    .filter((l) => l !== '' && !l.startsWith('#'));
  const env = Object.fromEntries(
    lines.map((l) => l.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
  expect(Object.keys(env).sort()).toEqual([...envNames(), 'TROUPE_CONFIG'].sort());
  expect(text('.env.example')).toMatch(/^MAX_SUBAGENTS=30$/m);
  const { config, warnings } = place.load({ env });
  expect(warnings).toEqual([]);
  expect(config).toEqual(place.load().config);
});

test('the document has a row for every setting and every key of a role', () => {
  const page = text('docs/configuration.md');
  for (const { path } of SETTINGS) expect(page).toContain(`| \`${path}\` |`);
  for (const { field } of ROLE_FIELDS) expect(page).toContain(`| \`${field}\` |`);
});

// Four runs of the script, each of which loads the server's routes.
test('--check exits 1 on a stale file and writes nothing', { timeout: 90_000 }, () => {
  const place = newPlace();
  const copy = join(place.cwd, 'project');
  mkdirSync(copy);
  for (const name of [
    'scripts',
    'src',
    'docs',
    'roles',
    'config.example.toml',
    '.env.example',
    'package.json',
  ])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', 'scripts/docs.ts', ...args], {
      cwd: copy,
      encoding: 'utf8',
      timeout: 30_000,
    });
  expect(run('--check').status).toBe(0);
  writeFileSync(join(copy, '.env.example'), 'old');
  expect(run('--check')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('.env.example'),
  });
  expect(readFileSync(join(copy, '.env.example'), 'utf8')).toBe('old');
  run();
  expect(run('--check').status).toBe(0);
});
