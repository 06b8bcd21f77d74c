// Copies of the database while it is in use, one at a time, made by a thread: main never waits for the disk.
// A copy appears under its name when it is whole and checked, and never in place of a file that is there.
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, isAbsolute } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../domain/errors.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import type { BackupReport } from '../../domain/retention.ts';
import { BACKUP_WORKER, type BackupOrder, type BackupWord } from './backup-worker.ts';

export type Backups = {
  /** Answers when it is done or failed, or as it stands after `wait_ms`. AppError when it cannot be begun. */
  make(path: string, wait_ms: number): Promise<BackupReport>;
  /** The one under way, or the last; null: none since the start. */
  last(): BackupReport | null;
  /** Gives up the one under way. */
  close(): Promise<void>;
};

const driver = createRequire(import.meta.url).resolve('better-sqlite3');

export function createBackups(deps: { file: string; clock: Clock; log: Log }): Backups {
  const { file, clock, log } = deps;
  let report: BackupReport | null = null;
  /** Set from the first look on, so that no second one begins in between. */
  let taken = false;
  let under_way: { done: Promise<void>; worker: Worker } | null = null;

  async function copy(worker: Worker, path: string, partial: string): Promise<number> {
    try {
      const bytes = await wordOf(worker);
      await publish(partial, path);
      return bytes;
    } finally {
      await rm(partial, { force: true });
      await rm(`${partial}-journal`, { force: true });
    }
  }

  async function begin(path: string): Promise<{ done: Promise<void>; worker: Worker }> {
    await refuse(path);
    const partial = `${path}.partial`;
    // Empty and for its owner only: the copy is written into it.
    const handle = await open(partial, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
      throw new AppError('bad_request', `${path} cannot be written (${error.code})`);
    });
    await handle.close();
    const since = clock.mono();
    const workerData: BackupOrder = { driver, file, partial };
    const worker = new Worker(BACKUP_WORKER, { eval: true, workerData, name: 'backup' });
    report = { path, state: 'running', bytes: null, duration_ms: null, error: null };
    const ended = (how: Partial<BackupReport>): void => {
      const duration_ms = Math.round(clock.mono() - since);
      report = { path, state: 'failed', bytes: null, error: null, ...how, duration_ms };
      under_way = null;
      taken = false;
      log[report.state === 'done' ? 'info' : 'warn'](report, 'backup');
    };
    const done = copy(worker, path, partial).then(
      (bytes) => ended({ state: 'done', bytes }),
      (error: unknown) => ended({ error: error instanceof Error ? error.message : String(error) }),
    );
    return { done, worker };
  }

  return {
    async make(path, wait_ms) {
      if (taken) throw busy();
      taken = true;
      const begun = await begin(path).catch((error: unknown) => {
        taken = false;
        throw error;
      });
      if (taken) under_way = begun;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, wait_ms);
      });
      await Promise.race([begun.done, late]);
      clearTimeout(timer);
      return report as unknown as BackupReport;
    },
    last: () => report,
    async close() {
      await under_way?.worker.terminate();
      await under_way?.done;
    },
  };
}

const busy = (): AppError =>
  new AppError('conflict', 'a backup is under way; wait for its end (GET /v1/backup shows it)');

async function refuse(path: string): Promise<void> {
  const no = (message: string): AppError =>
    new AppError('bad_request', message, { errors: [{ path: '/path', message }] });
  if (!isAbsolute(path) || path.includes('\0')) throw no(`path "${path}" is not absolute`);
  const folder = await stat(dirname(path)).catch(() => null);
  if (!folder?.isDirectory())
    throw no(`there is no folder ${dirname(path)} on the server's machine`);
  if (await stat(path).catch(() => null))
    throw new AppError(
      'conflict',
      `${path} exists already; a backup never takes the place of a file`,
    );
}

/** Bytes of the copy; rejects with what went wrong, also when the thread ends without a word. */
function wordOf(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('message', (word: BackupWord) =>
      'bytes' in word ? resolve(word.bytes) : reject(new Error(word.error)),
    );
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the backup was given up')));
  });
}

/** A link fails where a file is; on file systems without links the check of before must do. */
async function publish(partial: string, path: string): Promise<void> {
  await link(partial, path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new Error(`${path} came into being meanwhile`);
    await rename(partial, path);
  });
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}
