import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { silentLog } from '../../src/domain/ports.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { processStart } from '../../src/store/sqlite/lock.ts';
import { type Migration, revert, versionOf } from '../../src/store/sqlite/migrate.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.ts';
import { toOpenError } from '../../src/store/sqlite/storage-error.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const fileIn = (folder: string) => join(folder, 'state.db');
const open = (file: string, migrations?: readonly Migration[]) =>
  openDatabase({ file, log: silentLog, ...(migrations ? { migrations } : {}) });

function refusal(file: string): AppError {
  try {
    open(file).close();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`${file} was opened`);
}

describe('lock', () => {
  it('lets only one main use a database, and names the owner and the folder', () => {
    const file = fileIn(tempFolder());
    const first = open(file);
    const error = refusal(file);
    expect(error.code).toBe('storage_unusable');
    expect(error.message).toContain(`pid ${process.pid}`);
    expect(error.message).toContain(dirname(file));
    first.close();
    expect(existsSync(`${file}.lock`)).toBe(false);
    open(file).close();
  });

  it('holds against another process, and not after that was killed', async () => {
    const file = fileIn(tempFolder());
    const child = spawn(process.execPath, ['--import', 'tsx', 'test/store/holder.ts', file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let out = '';
      child.stdout.on('data', (text) => {
        out += text;
      });
      await until(() => out.includes('open'), 15_000, 'the other process has opened the database');
      expect(refusal(file).message).toContain(`pid ${child.pid}`);
      child.kill('SIGKILL');
      await until(() => child.signalCode, 5000, 'the other process is dead');
      expect(existsSync(`${file}.lock`)).toBe(true);
      open(file).close();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('believes a living owner, but neither a recycled pid nor a broken file', () => {
    const file = fileIn(tempFolder());
    open(file).close();
    const owner = { pid: process.ppid, started: processStart(process.ppid), since: 'then' };
    const pid_namespace = ownNamespace(file);
    const leave = (text: string) => writeFileSync(`${file}.lock`, text);
    leave(JSON.stringify({ ...owner, pid_namespace }));
    expect(refusal(file).message).toContain(`pid ${process.ppid}`);
    leave(JSON.stringify({ ...owner, pid_namespace, started: 1 }));
    open(file).close();
    leave(JSON.stringify({ ...owner, pid_namespace: 'pid:[1]' }));
    open(file).close();
    leave('{"pid":');
    open(file).close();
  });
});

function ownNamespace(file: string): string {
  const database = open(file);
  const { pid_namespace } = JSON.parse(readFileSync(`${file}.lock`, 'utf8'));
  database.close();
  return pid_namespace;
}

describe('what cannot be used is refused and left as it was', () => {
  const untouched = (file: string, words: string[]) => {
    const before = readFileSync(file);
    const error = refusal(file);
    expect(error.code).toBe('storage_unusable');
    for (const word of [file, ...words]) expect(error.message).toContain(word);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(`${file}.lock`)).toBe(false);
  };

  it('a newer schema', () => {
    const file = fileIn(tempFolder());
    open(file).close();
    const db = new Sqlite(file);
    db.pragma('user_version = 99');
    db.close();
    untouched(file, ['99', 'newer release', `up to ${MIGRATIONS.length}`]);
  });

  it('a file that is no database', () => {
    const file = fileIn(tempFolder());
    writeFileSync(file, 'To be, or not to be. '.repeat(500));
    untouched(file, ['not an SQLite database']);
  });

  it('a damaged database', () => {
    const file = fileIn(tempFolder());
    open(file).close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096 * 3, 4096 * 6);
    writeFileSync(file, bytes);
    untouched(file, ['damaged']);
  });

  it('the database of another program', () => {
    const file = fileIn(tempFolder());
    const db = new Sqlite(file);
    db.exec('CREATE TABLE shopping (item)');
    db.close();
    untouched(file, ['another program']);
  });

  it('a folder that cannot be one', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'data'), '');
    const error = refusal(join(folder, 'data', 'state.db'));
    expect(error.code).toBe('storage_unusable');
    expect(error.message).toContain(join(folder, 'data'));
    expect(error.message).toContain('writable');
  });

  it('a file that is a folder', () => {
    const file = fileIn(tempFolder());
    mkdirSync(file);
    expect(refusal(file).code).toBe('storage_unusable');
  });
});

it('names the command that mends a missing native part', () => {
  // The real driver without its compiled half, as an install with blocked scripts leaves it.
  const folder = tempFolder();
  for (const part of [
    'better-sqlite3/lib',
    'better-sqlite3/package.json',
    'bindings',
    'file-uri-to-path',
  ])
    cpSync(join('node_modules', part), join(folder, 'node_modules', part), { recursive: true });
  const Bare = createRequire(join(folder, 'x.js'))('better-sqlite3');
  let caught: unknown;
  try {
    new Bare(':memory:');
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeDefined();
  const error = toOpenError(caught, 'state.db');
  expect(error.code).toBe('storage_unusable');
  expect(error.message).toContain('npm rebuild better-sqlite3');
});

describe('settings', () => {
  it('are those that keep what was acknowledged', () => {
    const file = fileIn(tempFolder());
    const database = open(file);
    const value = (name: string) =>
      Object.values(database.writer.get<object>(`PRAGMA ${name}`) ?? {})[0];
    expect(value('journal_mode')).toBe('wal');
    expect(value('synchronous')).toBe(2);
    expect(value('foreign_keys')).toBe(1);
    expect(value('busy_timeout')).toBe(100);
    expect(() => database.reader.run('DELETE FROM meta')).toThrow(/readonly/);
    database.close();
    database.close();
    expect(readdirSync(dirname(file)).filter((name) => /-wal|\.lock/.test(name))).toEqual([]);
  });
});

describe('migrations', () => {
  const second: Migration = {
    up: 'ALTER TABLE tasks ADD COLUMN colour TEXT; CREATE INDEX tasks_colour ON tasks (colour);',
    down: 'DROP INDEX tasks_colour; ALTER TABLE tasks DROP COLUMN colour;',
  };
  const schema = (db: Sqlite.Database) =>
    db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();

  it('make the tables with the columns that tools read', () => {
    const file = fileIn(tempFolder());
    open(file).close();
    const db = new Sqlite(file, { readonly: true });
    const columns = (table: string) =>
      (db.pragma(`table_info(${table})`) as { name: string }[]).map((column) => column.name);
    const words = (text: string) => text.split(' ');
    expect(columns('memory_records')).toEqual(
      words(
        'record_id layer content scope_key source tags_json status correction_of created_at updated_at',
      ),
    );
    expect(columns('subagent_records')).toEqual(
      expect.arrayContaining(
        words(
          'agent_id role task_summary parent_id state task_id run_id endpoint pid model error metadata_json created_at updated_at',
        ),
      ),
    );
    expect(columns('subagent_events')).toEqual(
      expect.arrayContaining(words('event_id agent_id state detail created_at')),
    );
    expect(columns('loop_runs')).toEqual(
      words(
        'run_id thread_id status current_step retries failure_reason next_action model fallback_model metadata_json created_at updated_at',
      ),
    );
    db.close();
  });

  it('keep a copy of the database as it was before', () => {
    const file = fileIn(tempFolder());
    const old = open(file, MIGRATIONS);
    for (const key of ['a', 'b', 'c']) old.writer.run('INSERT INTO meta VALUES (?, ?)', key, key);
    old.writer.run('DELETE FROM meta WHERE key = ?', 'b');
    const rows = old.writer.all('SELECT rowid, key FROM meta');
    old.close();
    expect(readdirSync(dirname(file)).filter((name) => name.includes('before'))).toEqual([]);
    const next = [...MIGRATIONS, second];
    const fresh = open(file, next);
    expect(fresh.writer.get('PRAGMA user_version')).toEqual({ user_version: next.length });
    fresh.close();
    const copy = `${file}.before-${String(next.length).padStart(3, '0')}`;
    expect(readdirSync(dirname(file))).toContain(basename(copy));
    const kept = open(copy, MIGRATIONS);
    expect(kept.writer.get('PRAGMA user_version')).toEqual({ user_version: MIGRATIONS.length });
    // The order of rows is their rowid: a copy must not renumber them.
    expect(kept.writer.all('SELECT rowid, key FROM meta')).toEqual(rows);
    kept.close();
  });

  it('leave the old version in place when a step fails', () => {
    const file = fileIn(tempFolder());
    open(file).close();
    const broken = { up: `${second.up} INSERT INTO nowhere VALUES (1);`, down: '' };
    expect(() => open(file, [...MIGRATIONS, broken])).toThrow(AppError);
    const database = open(file);
    expect(
      database.writer.all("SELECT name FROM pragma_table_info('tasks') WHERE name = 'colour'"),
    ).toEqual([]);
    database.close();
  });

  it('can be undone on a copy, one by one, down to nothing', () => {
    const file = fileIn(tempFolder());
    const steps = [...MIGRATIONS, second];
    const schemas: unknown[] = [];
    for (let n = 1; n <= steps.length; n += 1) {
      open(file, steps.slice(0, n)).close();
      const db = new Sqlite(file, { readonly: true });
      schemas[n] = schema(db);
      db.close();
    }
    const copy = join(dirname(file), 'copy.db');
    cpSync(file, copy);
    const db = new Sqlite(copy);
    for (let n = steps.length - 1; n >= 1; n -= 1) {
      revert(db, steps, n);
      expect(versionOf(db)).toBe(n);
      expect(schema(db)).toEqual(schemas[n]);
    }
    revert(db, steps, 0);
    expect(schema(db)).toEqual([expect.objectContaining({ name: 'sqlite_sequence' })]);
    db.close();
  });
});
