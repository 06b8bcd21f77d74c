// Threads and runs of the Agent Protocol, and the items of its store.
import type {
  ProtocolReads,
  ProtocolRun,
  ProtocolThread,
  ProtocolWrites,
  StoreItem,
} from '../../domain/protocol.ts';
import type { Connection } from './connection.ts';
import { describeTable, type Row } from './table.ts';

const threads = describeTable<ProtocolThread>('protocol_threads', 'thread_id', {
  thread_id: 'plain',
  assistant: 'plain',
  metadata: ['json', 'metadata_json'],
  values: ['json', 'values_json'],
  temporary: 'flag',
  created_at: 'plain',
  updated_at: 'plain',
});
const runs = describeTable<ProtocolRun>('protocol_runs', 'run_id', {
  run_id: 'plain',
  thread_id: 'plain',
  assistant: 'plain',
  work_id: 'plain',
  state: 'plain',
  status: 'plain',
  reason: 'plain',
  error: 'plain',
  strategy: 'plain',
  metadata: ['json', 'metadata_json'],
  request: ['json', 'request_json'],
  values_before: ['json', 'values_before_json'],
  not_before: 'plain',
  from_seq: 'plain',
  from_checkpoint: 'plain',
  to_seq: 'plain',
  to_checkpoint: 'plain',
  created_at: 'plain',
  updated_at: 'plain',
});
const items = describeTable<StoreItem>('store_items', 'key', {
  namespace: 'json',
  key: 'plain',
  value: ['json', 'value_json'],
  expires_at: 'plain',
  created_at: 'plain',
  updated_at: 'plain',
});

const THREADS = `SELECT ${threads.columns} FROM protocol_threads ORDER BY rowid DESC LIMIT ? OFFSET ?`;
const RUNS = `SELECT ${runs.columns} FROM protocol_runs ORDER BY rowid DESC LIMIT ? OFFSET ?`;
const RUNS_OF = `SELECT ${runs.columns} FROM protocol_runs WHERE thread_id = ? ORDER BY rowid`;
const TEMPORARY = 'SELECT thread_id FROM protocol_threads WHERE temporary = 1';
const OPEN = `SELECT ${runs.columns} FROM protocol_runs WHERE state <> 'ended' ORDER BY rowid`;
/** A namespace and everything below it: its JSON text is the whole, or goes on with a comma. */
const UNDER = '(namespace = ? OR substr(namespace, 1, ?) = ?)';
const ITEM = `SELECT ${items.columns} FROM store_items WHERE namespace = ? AND key = ?`;
const ITEMS = `SELECT ${items.columns} FROM store_items WHERE ${UNDER}
  ORDER BY updated_at DESC, rowid DESC LIMIT ? OFFSET ?`;
const NAMESPACES = `SELECT DISTINCT namespace FROM store_items WHERE ${UNDER} ORDER BY namespace`;
const PUT = `${items.insertSql} ON CONFLICT (namespace, key) DO UPDATE SET
  value_json = excluded.value_json, expires_at = excluded.expires_at,
  updated_at = excluded.updated_at`;
const OWN_CHECKPOINTS = `DELETE FROM checkpoints WHERE thread_id = ?
  AND NOT EXISTS (SELECT 1 FROM tasks WHERE task_id = checkpoints.thread_id)
  AND NOT EXISTS (SELECT 1 FROM queries WHERE query_id = checkpoints.thread_id)`;

function under(prefix: readonly string[]): [string, number, string] {
  const whole = JSON.stringify(prefix);
  const open = prefix.length === 0 ? '[' : `${whole.slice(0, -1)},`;
  return [whole, open.length, open];
}

export const createProtocolReads = (conn: Connection): ProtocolReads => ({
  async thread(thread_id) {
    return threads.byKey(conn, thread_id);
  },
  async threads(limit, offset) {
    return conn.all<Row>(THREADS, limit, offset).map(threads.decode);
  },
  async temporary() {
    return conn.all<{ thread_id: string }>(TEMPORARY).map((row) => row.thread_id);
  },
  async run(run_id) {
    return runs.byKey(conn, run_id);
  },
  async runsOf(thread_id) {
    return conn.all<Row>(RUNS_OF, thread_id).map(runs.decode);
  },
  async runs(limit, offset) {
    return conn.all<Row>(RUNS, limit, offset).map(runs.decode);
  },
  async openRuns() {
    return conn.all<Row>(OPEN).map(runs.decode);
  },
  async item(namespace, key) {
    const row = conn.get<Row>(ITEM, JSON.stringify(namespace), key);
    return row ? items.decode(row) : null;
  },
  async items(prefix, limit, offset) {
    return conn.all<Row>(ITEMS, ...under(prefix), limit, offset).map(items.decode);
  },
  async namespaces(prefix) {
    const rows = conn.all<{ namespace: string }>(NAMESPACES, ...under(prefix));
    return rows.map(({ namespace }) => JSON.parse(namespace) as string[]);
  },
});

export const createProtocolStore = (conn: Connection, now: () => string): ProtocolWrites => ({
  ...createProtocolReads(conn),
  async insertThread(thread) {
    threads.insert(conn, thread);
  },
  async patchThread(thread_id, patch) {
    threads.patch(conn, thread_id, patch, now());
  },
  async removeThread(thread_id) {
    conn.run('DELETE FROM protocol_threads WHERE thread_id = ?', thread_id);
    conn.run(OWN_CHECKPOINTS, thread_id);
  },
  async insertRun(run) {
    runs.insert(conn, run);
  },
  async patchRun(run_id, patch) {
    runs.patch(conn, run_id, patch, now());
  },
  async removeRun(run_id) {
    conn.run('DELETE FROM protocol_runs WHERE run_id = ?', run_id);
  },
  async putItem(item) {
    conn.run(PUT, ...items.values(item));
  },
  async removeItem(namespace, key) {
    const sql = 'DELETE FROM store_items WHERE namespace = ? AND key = ?';
    return conn.run(sql, JSON.stringify(namespace), key).changes > 0;
  },
  async pruneItems(at) {
    conn.run('DELETE FROM store_items WHERE expires_at <= ?', at);
  },
});
