// Queries: the roots of the trees.
import type { QueryReads, Tx } from '../../domain/ports.ts';
import type { Query } from '../../domain/query.ts';
import type { Connection } from './connection.ts';
import { readPage } from './page.ts';
import { describeTable, type Row } from './table.ts';

const table = describeTable<Query>('queries', 'query_id', {
  query_id: 'plain',
  kind: 'plain',
  input: 'plain',
  status: 'plain',
  answer: 'plain',
  branched: 'flag',
  workdir: 'plain',
  options: ['json', 'options_json'],
  usage: ['json', 'usage_json'],
  iterations: 'plain',
  error: ['json', 'error_json'],
  created_at: 'plain',
  updated_at: 'plain',
});
const OPEN = `SELECT ${table.columns} FROM queries
  WHERE status IN ('queued', 'running', 'waiting') ORDER BY rowid`;

export const createQueryReads = (conn: Connection): QueryReads => ({
  async get(query_id) {
    return table.byKey(conn, query_id);
  },
  async list(ask) {
    return readPage(conn, table, ask, { kind: ask.kind, status: ask.status });
  },
  async open() {
    return conn.all<Row>(OPEN).map(table.decode);
  },
});

export const createQueryStore = (conn: Connection, now: () => string): Tx['queries'] => ({
  ...createQueryReads(conn),
  async insert(query) {
    table.insert(conn, query);
  },
  async patch(query_id, patch) {
    table.patch(conn, query_id, patch, now());
  },
});
