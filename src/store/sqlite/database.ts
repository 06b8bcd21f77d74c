// Opens the database file: lock, checks, settings, migrations. A file it refuses is left as it was.
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '../../domain/errors.ts';
import { type Clock, type Log, systemClock } from '../../domain/ports.ts';
import { type Connection, createConnection } from './connection.ts';
import { takeLock } from './lock.ts';
import { type Migration, migrate, versionOf } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { toOpenError } from './storage-error.ts';
import { framesLost } from './wal-tail.ts';

export type Database = {
  file: string;
  /** The only connection that writes. */
  writer: Connection;
  /** Sees what is committed, nothing else. */
  reader: Connection;
  /** Moves the write-ahead log into the file, closes it and gives the lock back. Safe to call twice. */
  close(): void;
};

/** Marks the file as ours: "TRUP". */
export const APPLICATION_ID = 0x54525550;
// Waiting for a lock blocks the event loop, so each wait stays below what a health probe notices.
const BUSY_MS = 100;
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;
// Checking every page reads the whole file; beyond this size it would delay the start noticeably.
const CHECKED_BYTES = 32 * 1024 * 1024;
const LOG_MISSING =
  'the main before crashed and its write-ahead log is not here: what was stored last may be missing';
const LOG_CUT =
  'the write-ahead log ends within a write: cut off there by a crash, or damaged; what came behind is missing';

export function openDatabase(deps: {
  file: string;
  log: Log;
  clock?: Clock;
  migrations?: readonly Migration[];
  /** A main has worked in this folder before: an empty file is then one that was cut off. */
  used?: boolean;
}): Database {
  const { file, log, clock = systemClock, migrations = MIGRATIONS, used = false } = deps;
  const opened: { close(): void }[] = [];
  const close = () => {
    for (const one of opened.splice(0).reverse()) one.close();
  };
  try {
    mkdirSync(dirname(file), { recursive: true });
    accessSync(dirname(file), constants.W_OK);
    const lock = takeLock({ file, log, clock });
    opened.push({ close: lock.release });
    const size = sizeOf(file);
    // Before anything opens the file: that would make a log anew.
    if (lock.crashed && size > 0 && !existsSync(`${file}-wal`)) log.warn({ file }, LOG_MISSING);
    if (size > 0) inspect(file, migrations.length);
    else if (size === 0 && (used || sizeOf(`${file}-wal`) > 0)) throw cutOff(file);
    const writing = new Sqlite(file, { timeout: BUSY_MS });
    opened.push({ close: () => settle(writing, log) });
    const lost = framesLost(writing);
    if (lost > 0) log.warn({ file, pages: lost }, LOG_CUT);
    configure(writing);
    migrate({ db: writing, file, migrations, log });
    const reading = new Sqlite(file, { timeout: BUSY_MS, readonly: true });
    opened.push(reading);
    return { file, writer: createConnection(writing), reader: createConnection(reading), close };
  } catch (error) {
    close();
    throw toOpenError(error, file);
  }
}

/** Bytes; -1: there is no such file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? -1;
}

const cutOff = (file: string): AppError =>
  new AppError(
    'storage_unusable',
    `${file} is empty, but a server has worked with it: it was cut off. Restore a copy, or remove it to start empty`,
    { data: { file } },
  );

/** Looks without writing: whose file it is, which version, and whether it is whole. */
function inspect(file: string, newest: number): void {
  const db = new Sqlite(file, { timeout: BUSY_MS, readonly: true, fileMustExist: true });
  const refuse = (message: string) => {
    throw new AppError('storage_unusable', `${file} ${message}`, { data: { file } });
  };
  try {
    const version = versionOf(db);
    const tables = Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get());
    const ours = db.pragma('application_id', { simple: true }) === APPLICATION_ID;
    if (!ours && (version > 0 || tables > 0))
      refuse('is the database of another program; choose another state folder');
    if (version > newest)
      refuse(
        `has schema version ${version}, made by a newer release; this one knows up to ${newest}. Update the program, or restore a copy from before`,
      );
    if (statSync(file).size > CHECKED_BYTES) return;
    const found = String(db.pragma('quick_check(1)', { simple: true }));
    if (found !== 'ok')
      refuse(`is damaged (${found}); it was left as it is. Restore a copy, or move it away`);
  } finally {
    db.close();
  }
}

function configure(db: Sqlite.Database): void {
  const mode = db.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal')
    throw new AppError(
      'storage_unusable',
      `${db.name} lies on a file system without shared memory for the write-ahead log (mode is ${mode}); use a local disk or a named volume`,
    );
  // Set, not assumed: the driver is compiled to sync less in WAL mode, whatever the pragma prints.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // A unit that may be undone needs no file of its own for that: file handles may be used up.
  db.pragma('temp_store = MEMORY');
  db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    db.pragma(`application_id = ${APPLICATION_ID}`);
}

function settle(db: Sqlite.Database, log: Log): void {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    // Nothing is lost: the next start reads the log. A full disk must not keep the lock.
    log.warn({ err: error }, 'the write-ahead log stays beside the database');
  }
  db.close();
}
