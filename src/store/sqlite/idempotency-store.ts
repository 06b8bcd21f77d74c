// Answers given under an Idempotency-Key, so that a repeated request gets the same one.
import type { IdempotencyRow, Tx } from '../../domain/ports.ts';
import type { Connection } from './connection.ts';
import { describeTable, type Row } from './table.ts';

const table = describeTable<IdempotencyRow>('idempotency', 'key', {
  api_key: 'plain',
  route: 'plain',
  key: 'plain',
  body_hash: 'plain',
  status: 'plain',
  response: 'plain',
  created_at: 'plain',
});
const GET = `SELECT ${table.columns} FROM idempotency WHERE api_key = ? AND route = ? AND key = ?`;
// A row in progress is completed by a second put.
const PUT = `${table.insertSql} ON CONFLICT (api_key, route, key) DO UPDATE SET
  body_hash = excluded.body_hash, status = excluded.status, response = excluded.response,
  created_at = excluded.created_at`;

export const createIdempotencyStore = (conn: Connection): Tx['idempotency'] => ({
  async get(api_key, route, key) {
    const row = conn.get<Row>(GET, api_key, route, key);
    return row ? table.decode(row) : null;
  },
  async put(row) {
    conn.run(PUT, ...table.values(row));
  },
  async prune(before) {
    conn.run('DELETE FROM idempotency WHERE created_at < ?', before);
  },
});
