// Work on the state folder of a server that is stopped: the database is locked meanwhile, so that none starts.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { silentLog, systemClock } from '../domain/ports.ts';
import type { GcAsk, GcReport } from '../domain/retention.ts';
import { createRetention } from '../queries/retention.ts';
import { createRetiredFiles } from '../queries/retired-files.ts';
import { openDatabase } from '../store/sqlite/database.ts';
import { type Restored, restoreDatabase } from '../store/sqlite/restore.ts';
import { createStore } from '../store/sqlite/store.ts';

const FILE = 'troupe.db';

export async function gcStopped(state_dir: string, ask: GcAsk): Promise<GcReport> {
  const file = join(state_dir, FILE);
  if (!existsSync(file))
    throw new AppError(
      'storage_unusable',
      `${state_dir} is no state folder: there is no ${FILE} in it`,
    );
  const deps = { log: silentLog, clock: systemClock };
  const store = createStore({ database: openDatabase({ file, ...deps }), ...deps });
  try {
    return await createRetention({ store, files: createRetiredFiles(state_dir), ...deps }).gc(ask);
  } finally {
    await store.close();
  }
}

export const restoreStopped = (from: string, state_dir: string): Restored =>
  restoreDatabase({ from, file: join(state_dir, FILE), log: silentLog });
