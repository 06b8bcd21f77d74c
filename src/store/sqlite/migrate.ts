// Brings a database from its schema version to the one of this program, one numbered step at a time.
// Each step is one transaction; a copy of a database that holds something is kept before each.
import { renameSync, rmSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import type { Log } from '../../domain/ports.ts';

/** SQL text. Step n of the list leads to version n; `down` undoes `up`. */
export type Migration = { up: string; down: string };

export const versionOf = (db: Sqlite.Database): number =>
  Number(db.pragma('user_version', { simple: true }));

const copyName = (file: string, version: number): string =>
  `${file}.before-${String(version).padStart(3, '0')}`;

export function migrate(deps: {
  db: Sqlite.Database;
  file: string;
  migrations: readonly Migration[];
  log: Log;
}): void {
  const { db, file, migrations, log } = deps;
  const before = versionOf(db);
  for (let version = before + 1; version <= migrations.length; version += 1) {
    const step = migrations[version - 1];
    if (!step) return;
    if (before > 0) keepCopy(db, copyName(file, version));
    inTransaction(db, step.up, version);
    log.info({ file, version }, 'database schema brought up to date');
  }
}

/** Undoes steps down to version `to`. For copies: what newer columns held is lost. */
export function revert(db: Sqlite.Database, migrations: readonly Migration[], to: number): void {
  for (let version = versionOf(db); version > to; version -= 1) {
    const step = migrations[version - 1];
    if (step) inTransaction(db, step.down, version - 1);
  }
}

function inTransaction(db: Sqlite.Database, sql: string, version: number): void {
  const apply = db.transaction(() => {
    db.exec(sql);
    db.pragma(`user_version = ${version}`);
  });
  apply.immediate();
}

// Under another name first: a copy that a crash cut short must not look like one.
function keepCopy(db: Sqlite.Database, target: string): void {
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  db.prepare('VACUUM INTO ?').run(partial);
  renameSync(partial, target);
}
