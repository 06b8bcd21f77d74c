// One build at a time on a tree: a lock file with the owner's pid. A lock whose owner has gone is taken over.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A build takes seconds; whoever holds the lock for this long is stuck. */
const PATIENCE_MS = 120_000;

export async function withLock(file: string, work: () => Promise<void>): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const until = performance.now() + PATIENCE_MS;
  while (!take(file)) {
    if (performance.now() > until) throw new Error(`${file}: another build holds it; remove it`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!ownerLives(file)) rmSync(file, { force: true });
    return false;
  }
}

function ownerLives(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // Empty: the owner is just writing it.
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
