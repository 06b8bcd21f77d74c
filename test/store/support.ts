// A store on a real file, closed at the end of its block.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type Clock, silentLog } from '../../src/domain/ports.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { createStore } from '../../src/store/sqlite/store.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** For tests of what shares a commit: time stands still, so no group grows too old on a busy machine. */
export const stoppedClock: Clock = { now: () => new Date(), mono: () => 0 };

export async function openTemp(clock?: Clock) {
  const file = join(tempFolder(), 'state.db');
  const database = openDatabase({ file, log: silentLog });
  const store = createStore({ database, log: silentLog, ...(clock ? { clock } : {}) });
  return {
    file,
    database,
    store,
    /** The steps of SQLite's plan for a statement. */
    explain(sql: string): string[] {
      const db = new Sqlite(file, { readonly: true });
      try {
        const values = Array.from(sql.matchAll(/\?/g), () => null);
        const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as {
          detail: string;
        }[];
        return steps.map((step) => step.detail);
      } finally {
        db.close();
      }
    },
    async [Symbol.asyncDispose]() {
      await store.close();
    },
  };
}
