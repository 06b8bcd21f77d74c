// One main per database: an owner file for people, and a kernel lock that no crash can leave behind.
// The kernel lock decides, because pids mean nothing across containers; it is never taken from a live owner.
import { readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '../../domain/errors.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import { isBusy } from './storage-error.ts';

/** `started`: start of the process in clock ticks since boot; null where there is no /proc. */
type Owner = {
  pid: number;
  started: number | null;
  pid_namespace: string | null;
  since: string;
};

// A process that was killed a moment ago may need this long to let go of its files.
const HANDOVER_MS = 100;

export function takeLock({ file, log, clock }: { file: string; log: Log; clock: Clock }) {
  const ownerFile = `${file}.lock`;
  const mutex = new Sqlite(`${file}.mutex`, { timeout: HANDOVER_MS });
  try {
    mutex.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    mutex.close();
    throw isBusy(error) ? inUse(file, readOwner(ownerFile)) : error;
  }
  const former = readOwner(ownerFile);
  if (former && former.pid !== process.pid && isAlive(former)) {
    mutex.close();
    throw inUse(file, former);
  }
  if (former)
    log.warn({ file, former_pid: former.pid }, 'took over the lock of a main that is gone');
  const owner: Owner = {
    pid: process.pid,
    started: processStart(process.pid),
    pid_namespace: pidNamespace(),
    since: clock.now().toISOString(),
  };
  try {
    writeFileSync(ownerFile, `${JSON.stringify(owner)}\n`);
  } catch (error) {
    mutex.close();
    throw error;
  }
  return {
    /** The main before ended without giving its lock back. */
    crashed: former !== null,
    release(): void {
      rmSync(ownerFile, { force: true });
      mutex.close();
    },
  };
}

function inUse(file: string, owner: Owner | null): AppError {
  const who = owner ? `pid ${owner.pid}, since ${owner.since}` : 'its pid is not known';
  return new AppError(
    'storage_unusable',
    `the data folder ${dirname(file)} is in use by another main (${who}); stop that one, or start this one with another state folder`,
    { data: { pid: owner?.pid ?? null, file } },
  );
}

function readOwner(path: string): Owner | null {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8')) as Owner;
    return Number.isInteger(owner.pid) ? owner : null;
  } catch {
    return null;
  }
}

/** Only within one pid namespace do the numbers name the same process. */
const isAlive = (owner: Owner): boolean =>
  owner.started !== null &&
  owner.pid_namespace === pidNamespace() &&
  owner.started === processStart(owner.pid);

/** null when there is no such process, or only its corpse (a zombie holds nothing). */
export function processStart(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : Number(fields[19]);
  } catch {
    return null;
  }
}

function pidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}
