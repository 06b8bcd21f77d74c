// The thread that copies a database while main goes on: its source, as text, because a build is one file.
// Reads with a connection of its own; what it leaves is whole and on disk, or it has failed.

export type BackupOrder = { driver: string; file: string; partial: string };
export type BackupWord = { bytes: number } | { error: string; code: string };

export const BACKUP_WORKER = `
const { closeSync, fsyncSync, openSync, statSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { driver, file, partial } = workerData;
const Sqlite = require(driver);
try {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    db.prepare('VACUUM INTO ?').run(partial);
  } finally {
    db.close();
  }
  const copy = new Sqlite(partial, { readonly: true, fileMustExist: true });
  const found = copy.pragma('integrity_check(1)', { simple: true });
  copy.close();
  if (found !== 'ok') throw new Error('the copy is damaged: ' + found);
  const handle = openSync(partial, 'r');
  fsyncSync(handle);
  closeSync(handle);
  parentPort.postMessage({ bytes: statSync(partial).size });
} catch (error) {
  parentPort.postMessage({ error: String(error && error.message), code: String(error && error.code) });
}
`;
