// Runs: the executions on a task's thread.
import type { RunReads, Tx } from '../../domain/ports.ts';
import type { Run } from '../../domain/task.ts';
import type { Connection } from './connection.ts';
import { describeTable, type Row } from './table.ts';

const table = describeTable<Run>('runs', 'run_id', {
  run_id: 'plain',
  task_id: 'plain',
  agent_id: 'plain',
  kind: 'plain',
  input: ['json', 'input_json'],
  created_at: 'plain',
});
const OF_TASK = `SELECT ${table.columns} FROM runs WHERE task_id = ? ORDER BY rowid`;

export const createRunReads = (conn: Connection): RunReads => ({
  async get(run_id) {
    return table.byKey(conn, run_id);
  },
  async ofTask(task_id) {
    return conn.all<Row>(OF_TASK, task_id).map(table.decode);
  },
});

export const createRunStore = (conn: Connection): Tx['runs'] => ({
  ...createRunReads(conn),
  async insert(run) {
    table.insert(conn, run);
  },
  async adopt(run_id, agent_id) {
    conn.run('UPDATE runs SET agent_id = ? WHERE run_id = ?', agent_id, run_id);
  },
});
