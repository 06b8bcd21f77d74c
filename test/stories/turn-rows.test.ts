// The record that each turn of the main agent leaves in the database. On the built product.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { startTroupe } from '../support/troupe-server.ts';

type Query = { query_id: string; status: string };

function rowsOf(folder: string, query_id: string): Record<string, unknown>[] {
  const db = new Sqlite(join(folder, 'troupe.db'), { readonly: true });
  try {
    const sql = 'SELECT * FROM loop_runs WHERE thread_id = ? ORDER BY created_at, rowid';
    return db.prepare(sql).all(query_id) as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

it('each turn is one row with status, step, model and why it ended', async () => {
  const troupe = await startTroupe();
  const ask = async (path: string, body: object): Promise<Query> => {
    const { query_id } = await troupe.call<Query>('POST', path, body);
    return await troupe.call<Query>('GET', `/v1/queries/${query_id}?wait_ms=30000`);
  };
  const query = await ask('/v1/queries', { input: 'hello' });
  const again = await ask(`/v1/queries/${query.query_id}/messages`, { text: 'and again' });
  const failing = await ask('/v1/queries', { input: '[[fail]]' });
  expect([query.status, again.status, failing.status]).toEqual([
    'completed',
    'completed',
    'failed',
  ]);
  await troupe.stop();

  const turn = { model: 'echo', current_step: 'ended' };
  const [first, second, ...more] = rowsOf(troupe.folder, query.query_id);
  expect(more).toEqual([]);
  for (const row of [first, second]) {
    expect(row).toMatchObject({ ...turn, status: 'completed', failure_reason: null });
    expect(JSON.parse(String(row?.metadata_json))).toMatchObject({ end_reason: 'goal' });
  }
  const [failed] = rowsOf(troupe.folder, failing.query_id);
  expect(failed).toMatchObject({ ...turn, status: 'failed' });
  expect(failed?.failure_reason).toContain('[[fail]]');
});
