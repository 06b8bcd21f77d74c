// Subagents: one row per attempt of one agent at one task.
import type { SubagentReads, Tx } from '../../domain/ports.ts';
import type { Subagent } from '../../domain/subagent.ts';
import type { Connection } from './connection.ts';
import { readPage } from './page.ts';
import { describeTable, type Row } from './table.ts';

const table = describeTable<Subagent>('subagent_records', 'agent_id', {
  agent_id: 'plain',
  role: 'plain',
  ordinal: 'plain',
  task_summary: 'plain',
  parent_id: 'plain',
  state: 'plain',
  waiting: 'plain',
  task_id: 'plain',
  run_id: 'plain',
  query_id: 'plain',
  depth: 'plain',
  endpoint: 'plain',
  pid: 'plain',
  port: 'plain',
  model: 'plain',
  error: 'plain',
  server_nonce: 'plain',
  attempts_used: 'plain',
  metadata: ['json', 'metadata_json'],
  created_at: 'plain',
  updated_at: 'plain',
});
const SELECT = `SELECT ${table.columns} FROM subagent_records`;
const ORDINAL = 'SELECT max(ordinal) AS last FROM subagent_records WHERE query_id = ? AND role = ?';

export const createSubagentReads = (conn: Connection): SubagentReads => ({
  async get(agent_id) {
    return table.byKey(conn, agent_id);
  },
  async list(ask) {
    const { query_id, role, state } = ask;
    return query_id === undefined
      ? readPage(conn, table, ask, { role, state })
      : readPage(conn, table, ask, { query_id }, { role, state });
  },
  async ofQuery(query_id) {
    return conn.all<Row>(`${SELECT} WHERE query_id = ? ORDER BY rowid`, query_id).map(table.decode);
  },
  async ofTask(task_id) {
    return conn.all<Row>(`${SELECT} WHERE task_id = ? ORDER BY rowid`, task_id).map(table.decode);
  },
});

export const createSubagentStore = (conn: Connection, now: () => string): Tx['subagents'] => ({
  ...createSubagentReads(conn),
  async insert(subagent) {
    table.insert(conn, subagent);
  },
  async patch(agent_id, patch) {
    table.patch(conn, agent_id, patch, now());
  },
  async nextOrdinal(query_id, role) {
    return (conn.get<{ last: number | null }>(ORDINAL, query_id, role)?.last ?? 0) + 1;
  },
});
