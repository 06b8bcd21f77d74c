// Which main this is. The marker of the run before is kept, so that a new main ends what an old one may have left.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../domain/ports.ts';
import { sweep } from '../launch/sweep.ts';
import { MARK_INSTANCE } from '../wire/protocol.ts';

/** Ends left-overs of the run before and notes the marker of this one. Call with the state folder's lock held. */
export async function sweepBefore(state_dir: string, instance: string, log: Log): Promise<void> {
  const file = join(state_dir, 'instance');
  let before = '';
  try {
    before = readFileSync(file, 'utf8').trim();
  } catch {
    // the first start in this folder
  }
  if (/^[0-9a-f-]{36}$/.test(before)) {
    const found = await sweep(`${MARK_INSTANCE}=${before}`);
    if (found > 0) log.warn({ found, before }, 'ended processes that the run before had left');
  }
  writeFileSync(file, `${instance}\n`, { mode: 0o600 });
}
