// Loop runs: one row per turn of a main agent. Its thread is the query's id.
import type { LoopReads, Tx } from '../../domain/ports.ts';
import type { LoopRun } from '../../domain/query.ts';
import type { Connection } from './connection.ts';
import { describeTable, type Row } from './table.ts';

const table = describeTable<LoopRun>('loop_runs', 'run_id', {
  run_id: 'plain',
  thread_id: 'plain',
  status: 'plain',
  current_step: 'plain',
  retries: 'plain',
  failure_reason: 'plain',
  next_action: 'plain',
  model: 'plain',
  fallback_model: 'plain',
  metadata: ['json', 'metadata_json'],
  created_at: 'plain',
  updated_at: 'plain',
});
const OF_QUERY = `SELECT ${table.columns} FROM loop_runs WHERE thread_id = ? ORDER BY rowid`;
// A null never clears: what was known about a turn stays known.
const UPSERT = `${table.insertSql} ON CONFLICT (run_id) DO UPDATE SET
  status = excluded.status, current_step = excluded.current_step, retries = excluded.retries,
  failure_reason = coalesce(excluded.failure_reason, failure_reason),
  next_action = coalesce(excluded.next_action, next_action),
  model = coalesce(excluded.model, model),
  fallback_model = coalesce(excluded.fallback_model, fallback_model),
  metadata_json = excluded.metadata_json, updated_at = excluded.updated_at`;

export const createLoopReads = (conn: Connection): LoopReads => ({
  async ofQuery(query_id) {
    return conn.all<Row>(OF_QUERY, query_id).map(table.decode);
  },
});

export const createLoopStore = (conn: Connection): Tx['loops'] => ({
  ...createLoopReads(conn),
  async upsert(row) {
    conn.run(UPSERT, ...table.values(row));
  },
});
