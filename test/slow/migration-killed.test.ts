// A main that is killed while it changes the schema, at any moment: the old schema or the new one, never between.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/domain/ports.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.ts';
import { createStore } from '../../src/store/sqlite/store.ts';
import { LATER } from '../fixtures/programs/later-schema.ts';
import { tempFolder } from '../support/temp-folder.ts';

const KILLS = 24;
const ROWS = 20_000;
const STEPS = [...MIGRATIONS, ...LATER];
const PROGRAM = ['--import', 'tsx', 'test/fixtures/programs/migrate-slowly.ts'];

const look = (file: string) => {
  const db = new Sqlite(file, { readonly: true });
  try {
    return {
      version: Number(db.pragma('user_version', { simple: true })),
      schema: db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all(),
      rows: Number(db.prepare('SELECT count(*) FROM subagent_events').pluck().get()),
      integrity: db.pragma('integrity_check', { simple: true }),
    };
  } finally {
    db.close();
  }
};

async function fill(file: string): Promise<void> {
  const store = createStore({ database: openDatabase({ file, log: silentLog }), log: silentLog });
  await store.tx(async (t) => {
    for (let n = 0; n < ROWS; n += 1) {
      await t.events.append({ kind: 'tool', state: 'x' });
      if (n % 2 === 0)
        await t.checkpoints.append({ thread_id: 't', run_id: `r${n}`, step: 0, messages: [] });
    }
  });
  await store.close();
}

/** Milliseconds from its first word to its last; killed after `kill_ms`: null. */
async function migrate(file: string, kill_ms: number | null): Promise<number | null> {
  const child = spawn(process.execPath, [...PROGRAM, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const since = performance.now();
  const timer = kill_ms === null ? undefined : setTimeout(() => child.kill('SIGKILL'), kill_ms);
  const [, signal] = await once(child, 'exit');
  clearTimeout(timer);
  return signal === null ? performance.now() - since : null;
}

it('leaves the schema of before or the one after, whole', { timeout: 300_000 }, async () => {
  const folder = tempFolder();
  const master = join(folder, 'master.db');
  await fill(master);
  const versions = new Map([[MIGRATIONS.length, look(master).schema]]);
  for (let n = MIGRATIONS.length + 1; n <= STEPS.length; n += 1) {
    const file = join(folder, `to-${n}.db`);
    cpSync(master, file);
    openDatabase({ file, log: silentLog, migrations: STEPS.slice(0, n) }).close();
    versions.set(n, look(file).schema);
  }
  const whole = join(folder, 'whole.db');
  cpSync(master, whole);
  const takes = (await migrate(whole, null)) ?? 0;
  const found = new Set<number>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const file = join(folder, `killed-${kill}.db`);
    cpSync(master, file);
    await migrate(file, (takes * kill) / KILLS);
    const { version, schema, rows, integrity } = look(file);
    expect({ version, rows, integrity }).toEqual({ version, rows: ROWS, integrity: 'ok' });
    expect(schema).toEqual(versions.get(version));
    found.add(version);
    // A copy is whole or does not have the name of one, and the next start finishes the work.
    for (const name of readdirSync(dirname(file)))
      if (new RegExp(`^killed-${kill}\\.db\\.before-\\d+$`).test(name))
        expect(look(join(folder, name))).toMatchObject({ rows: ROWS, integrity: 'ok' });
    openDatabase({ file, log: silentLog, migrations: STEPS }).close();
    expect(look(file)).toMatchObject({ version: STEPS.length, integrity: 'ok' });
    expect(existsSync(`${file}.lock`)).toBe(false);
  }
  // The kills did hit the middle: more than one outcome was seen.
  expect(found.size).toBeGreaterThan(1);
});
