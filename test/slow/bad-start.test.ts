// What cannot work is refused at the start: a sentence that a person can act on, no stack, a code that is not 0,
// and nothing half-done.
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Refusal, type RefusalAsk, refusedStart } from '../support/failing-start.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTroupe } from '../support/troupe-server.ts';

/** Says these words, and nothing that only a programmer can read. */
async function expectRefused(ask: RefusalAsk, ...words: (string | RegExp)[]): Promise<Refusal> {
  const refusal = await refusedStart(ask);
  const { code, stdout, stderr } = refusal;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  for (const word of words) expect(stderr).toMatch(word);
  expect(stderr).not.toMatch(/^\s+at .*[:(]\d+|node:internal|AppError/m);
  return refusal;
}
const withConfig = (text: string): RefusalAsk => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'config.toml'), text);
  const env = { TROUPE_CONFIG: join(folder, 'config.toml') };
  return { state_dir: join(folder, 'data'), env };
};

describe('a start is refused', { timeout: 30_000 }, () => {
  for (const value of ['abc', '0', '-3', '101', '3.5', '1e9', ''])
    it(`with MAX_SUBAGENTS="${value}": the value and what is allowed`, async () => {
      const ask = { state_dir: join(tempFolder(), 'data'), env: { MAX_SUBAGENTS: value } };
      await expectRefused(ask, 'MAX_SUBAGENTS', `"${value}"`, 'a whole number from 1 to 100');
      expect(existsSync(ask.state_dir)).toBe(false);
    });

  it('with a key that stands twice in the file: both lines', async () => {
    const ask = withConfig('[server]\nport = 0\nport = 1\n');
    await expectRefused(ask, /config\.toml:3/, 'server.port', 'line 2');
    expect(existsSync(ask.state_dir)).toBe(false);
  });

  it('with a key that nobody knows: its line and the one that was meant', async () => {
    const ask = withConfig('[server]\nprot = 0\n');
    await expectRefused(ask, /config\.toml:2/, 'unknown key "prot"', 'did you mean "port"');
  });

  it('with a role that has both a url and a port', async () => {
    const role = '[async_subagents.coder]\nurl = "http://127.0.0.1:9"\nport = 8001\n';
    await expectRefused(withConfig(role), /config\.toml:3/, 'coder', 'both url and port');
  });

  it('with every mistake at once', async () => {
    const ask = withConfig('[server]\nprot = 0\n[limits]\nbody_limit = "big"\n');
    ask.env = { ...ask.env, MAX_SUBAGENTS: 'abc' };
    await expectRefused(ask, '3 problems', '"prot"', 'limits.body_limit', 'MAX_SUBAGENTS');
  });

  it('on an address that others can reach, without a key', async () => {
    const state_dir = join(tempFolder(), 'data');
    const env = { TROUPE_HOST: '0.0.0.0' };
    await expectRefused({ state_dir, env }, '"0.0.0.0" without an API key', 'TROUPE_API_KEY');
    expect(existsSync(state_dir)).toBe(false);
  });

  it('by `troupe serve` in the same words', async () => {
    const command = [process.execPath, 'dist/bin/cli.js', 'serve'];
    const { code, stderr } = await refusedStart({
      ...{ state_dir: join(tempFolder(), 'data'), env: { MAX_SUBAGENTS: 'abc' }, command },
    });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain('a whole number from 1 to 100');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('on a port that is in use: which one, and how to choose another; the folder stays usable', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    const folder = tempFolder();
    const ask = { state_dir: folder, env: { TROUPE_PORT: String(port) } };
    await expectRefused(ask, `port ${port} on 127.0.0.1 is in use`, 'TROUPE_PORT or --port');
    const troupe = await startTroupe({ folder });
    expect(await troupe.ask('GET', '/readyz')).toMatchObject({ status: 200 });
  });

  it('on a folder that another main uses, which is not harmed', async () => {
    const first = await startTroupe();
    const before = await first.start('coder', '[[delay=1000]] still here');
    const words = ['in use by another main', `${first.pid}`, 'another state folder'];
    await expectRefused({ state_dir: first.folder }, ...words);
    expect(await first.ended(before.task_id)).toMatchObject({ result: 'still here' });
    const after = await first.start('coder', 'and well');
    expect(await first.ended(after.task_id)).toMatchObject({ result: 'and well' });
  });
});

describe('a state folder is refused', { timeout: 30_000 }, () => {
  it('when a file is in its place or above it', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, 'mine');
    for (const state_dir of [file, join(file, 'data')])
      await expectRefused({ state_dir }, `${state_dir} cannot be written`, 'TROUPE_STATE_DIR');
  });

  it('when this user may not write there, also for the key file that a container makes', async () => {
    const locked = join(tempFolder(), 'locked');
    mkdirSync(locked, { mode: 0o555 });
    onTestFinished(() => chmodSync(locked, 0o755));
    // Root may write everywhere, unless it is started without that power.
    const unprivileged = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'];
    const command = [
      ...(process.getuid?.() === 0 ? unprivileged : []),
      ...[process.execPath, 'dist/bin/server.js'],
    ];
    const below = join(locked, 'data');
    for (const state_dir of [locked, below]) {
      await expectRefused({ state_dir, command }, state_dir, /EACCES/, /writable/);
      const env = { TROUPE_API_KEY_FILE: join(state_dir, 'api-key') };
      await expectRefused({ state_dir, command, env }, state_dir, /EACCES/, /writable/);
    }
    expect(readdirSync(locked)).toEqual([]);
  });

  it('when its database is of a newer version, or of another program', async () => {
    for (const [make, words] of [
      ['PRAGMA application_id = 1414681936; PRAGMA user_version = 999', /version 999.*newer/],
      ['CREATE TABLE theirs (id)', /the database of another program/],
    ] as const) {
      const folder = tempFolder();
      const file = join(folder, 'troupe.db');
      const db = new Sqlite(file);
      db.exec(`${make}; CREATE TABLE IF NOT EXISTS kept (id); INSERT INTO kept VALUES (7)`);
      db.close();
      await expectRefused({ state_dir: folder }, file, words);
      const after = new Sqlite(file, { readonly: true });
      expect(after.prepare('SELECT id FROM kept').pluck().get()).toBe(7);
      after.close();
    }
  });

  it('when the native part of better-sqlite3 is missing: the command that repairs it', async () => {
    const folder = tempFolder();
    const preload = join(folder, 'no-native.cjs');
    writeFileSync(
      preload,
      `const Module = require('node:module');
       const find = Module._resolveFilename;
       Module._resolveFilename = (name, ...more) => {
         if (!String(name).endsWith('.node')) return find(name, ...more);
         throw Object.assign(new Error('Cannot find module ' + name), { code: 'MODULE_NOT_FOUND' });
       };`,
    );
    const ask = { state_dir: join(folder, 'data'), env: { NODE_OPTIONS: `--require ${preload}` } };
    await expectRefused(ask, 'npm rebuild better-sqlite3');
  });
});
