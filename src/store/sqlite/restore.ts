// Puts a backup in the place of a stopped database. What was there is kept beside it; nothing is touched before the
// backup has been found whole, ours and not newer than this program.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '../../domain/errors.ts';
import { type Clock, type Log, systemClock } from '../../domain/ports.ts';
import { APPLICATION_ID } from './database.ts';
import { REMOVED } from './event-store.ts';
import { takeLock } from './lock.ts';
import { versionOf } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { toOpenError } from './storage-error.ts';

export type Restored = {
  file: string;
  from: string;
  /** Where the database of before is now; null: there was none. */
  kept: string | null;
  schema_version: number;
  /** Numbers of events go on from here. */
  first_kept_seq: number;
};

/** Above whatever the database of before, or another copy of it elsewhere, has given to readers. */
const JUMP = 1_000_000;

export function restoreDatabase(deps: {
  from: string;
  file: string;
  log: Log;
  clock?: Clock;
}): Restored {
  const { file, log, clock = systemClock } = deps;
  const from = resolve(deps.from);
  const schema_version = examine(from, file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = takeLock({ file, log, clock });
  try {
    const fresh = `${file}.restoring`;
    const first_kept_seq = copyOf(from, fresh, lastSeq(file));
    const stamp = clock
      .now()
      .toISOString()
      .replace(/[-:]|\.\d+/g, '');
    const kept = setAside(file, `${file}.before-restore-${stamp}`);
    renameSync(fresh, file);
    syncFolder(dirname(file));
    return { file, from, kept, schema_version, first_kept_seq };
  } catch (error) {
    throw toOpenError(error, file);
  } finally {
    rmSync(`${file}.restoring`, { force: true });
    lock.release();
  }
}

/** Schema version of the backup. Throws AppError storage_unusable, naming what is wrong with it. */
function examine(from: string, file: string): number {
  const refuse = (message: string): never => {
    throw new AppError('storage_unusable', `${from} ${message}; nothing was changed`);
  };
  if (!existsSync(from)) refuse('does not exist');
  if (existsSync(file) && realpathSync(from) === realpathSync(file))
    refuse('is the database that is to be replaced');
  try {
    const db = new Sqlite(from, { readonly: true, fileMustExist: true });
    try {
      if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
        refuse('is not a backup of this program');
      const version = versionOf(db);
      if (version > MIGRATIONS.length)
        refuse(`has schema version ${version}, made by a newer release; update the program first`);
      const found = String(db.pragma('integrity_check(1)', { simple: true }));
      if (found !== 'ok') refuse(`is damaged (${found})`);
      return version;
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    return refuse(`is damaged or not a backup (${error instanceof Error ? error.message : error})`);
  }
}

/** The highest number that the database of before has given; 0 when it cannot be read. */
function lastSeq(file: string): number {
  try {
    const db = new Sqlite(file, { fileMustExist: true });
    try {
      // What is still in the write-ahead log belongs to it.
      db.pragma('wal_checkpoint(TRUNCATE)');
      const sql = "SELECT seq FROM sqlite_sequence WHERE name = 'subagent_events'";
      return Number(db.prepare(sql).pluck().get() ?? 0);
    } finally {
      db.close();
    }
  } catch {
    return 0;
  }
}

/** A clean copy whose numbers of events go on above all that were given; answers the first of them. */
function copyOf(from: string, fresh: string, before: number): number {
  rmSync(fresh, { force: true });
  const source = new Sqlite(from, { readonly: true, fileMustExist: true });
  try {
    source.prepare('VACUUM INTO ?').run(fresh);
  } finally {
    source.close();
  }
  const db = new Sqlite(fresh);
  try {
    const name = 'subagent_events';
    const row = db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(name);
    const last = Math.max(before, Number(row ?? 0) + JUMP);
    db.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(name);
    db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, last);
    // A reader of before cannot know what is missing to it now: it is told so.
    db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(REMOVED, String(last));
    return last + 1;
  } finally {
    db.close();
    const handle = openSync(fresh, 'r');
    fsyncSync(handle);
    closeSync(handle);
  }
}

/** The log first: a database must never find the log of another one beside it. */
function setAside(file: string, kept: string): string | null {
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${kept}-wal`);
  rmSync(`${file}-shm`, { force: true });
  if (!existsSync(file)) return null;
  renameSync(file, kept);
  return kept;
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
