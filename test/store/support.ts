// A store on a real file, closed at the end of its block; and what must hold in any file after a crash.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect } from 'vitest';
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

/** Everything acknowledged is there, no event is missing, and no state is without its event. */
export function expectWhole(file: string, acks: readonly number[]): void {
  const { reader: conn, close } = openDatabase({ file, log: silentLog });
  try {
    expect(conn.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    const seqs = conn.all<{ event_id: number }>(
      'SELECT event_id FROM subagent_events ORDER BY event_id',
    );
    expect(seqs.map((row) => row.event_id)).toEqual(seqs.map((_, i) => i + 1));
    expect(Math.max(0, ...acks)).toBeLessThanOrEqual(seqs.length);
    const bare = conn.all(`SELECT agent_id FROM subagent_records s WHERE NOT EXISTS
      (SELECT 1 FROM subagent_events e WHERE e.agent_id = s.agent_id AND e.state = s.state)`);
    expect(bare).toEqual([]);
    const orphans = conn.all(`SELECT event_id FROM subagent_events e WHERE kind = 'subagent'
      AND NOT EXISTS (SELECT 1 FROM subagent_records s WHERE s.agent_id = e.agent_id)`);
    expect(orphans).toEqual([]);
  } finally {
    close();
  }
}
