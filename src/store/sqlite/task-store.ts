// Tasks, the calls that made them, and their growing output, which is kept in chunks and never rewritten.
// Only get() and byCall() load partial_output; in every answer of many tasks it is ''.
import { AppError } from '../../domain/errors.ts';
import type { TaskReads, Tx } from '../../domain/ports.ts';
import type { Task } from '../../domain/task.ts';
import type { Connection } from './connection.ts';
import { readPage } from './page.ts';
import { describeTable, type Row } from './table.ts';

const table = describeTable<Omit<Task, 'partial_output'>>('tasks', 'task_id', {
  task_id: 'plain',
  run_id: 'plain',
  query_id: 'plain',
  parent_task_id: 'plain',
  subagent_type: 'plain',
  description: 'plain',
  status: 'plain',
  waiting: 'plain',
  depth: 'plain',
  max_depth: 'plain',
  result: 'plain',
  error: ['json', 'error_json'],
  usage: ['json', 'usage_json'],
  iterations: 'plain',
  resume_estimate: ['json', 'resume_json'],
  unverified: ['json', 'unverified_json'],
  output_schema: ['json', 'output_schema_json'],
  schema_valid: 'flag',
  structured: ['json', 'structured_json'],
  delivered_at: 'plain',
  created_at: 'plain',
  updated_at: 'plain',
});
const many = (row: Row): Task => ({ ...table.decode(row), partial_output: '' });
const listed = { name: table.name, columns: table.columns, decode: many };
const SELECT = `SELECT ${table.columns} FROM tasks`;
const CALLED = 'SELECT task_id FROM task_calls WHERE run_id = ? AND call_id = ?';
const OUTPUT = 'SELECT text FROM task_output WHERE task_id = ? ORDER BY rowid';

export function createTaskReads(conn: Connection): TaskReads {
  const whole = (task_id: string): Task | null => {
    const task = table.byKey(conn, task_id);
    if (!task) return null;
    const chunks = conn.all<{ text: string }>(OUTPUT, task_id);
    return { ...task, partial_output: chunks.map((c) => c.text).join('') };
  };
  return {
    async get(task_id) {
      return whole(task_id);
    },
    async list(ask) {
      const { query_id, role: subagent_type, status } = ask;
      return query_id === undefined
        ? readPage(conn, listed, ask, { subagent_type, status })
        : readPage(conn, listed, ask, { query_id }, { subagent_type, status });
    },
    async ofQuery(query_id) {
      return conn.all<Row>(`${SELECT} WHERE query_id = ? ORDER BY rowid`, query_id).map(many);
    },
    async children(query_id, parent_task_id) {
      const sql = `${SELECT} WHERE query_id = ? AND parent_task_id IS ? ORDER BY rowid`;
      return conn.all<Row>(sql, query_id, parent_task_id).map(many);
    },
    async open() {
      const sql = `${SELECT} WHERE status IN ('created', 'assigned', 'running', 'blocked') ORDER BY rowid`;
      return conn.all<Row>(sql).map(many);
    },
    async byCall(run_id, call_id) {
      const call = conn.get<{ task_id: string }>(CALLED, run_id, call_id);
      return call ? whole(call.task_id) : null;
    },
  };
}

export function createTaskStore(conn: Connection, now: () => string): Tx['tasks'] {
  const noteCall = (run_id: string, call_id: string, task_id: string): void => {
    const known = conn.get<{ task_id: string }>(CALLED, run_id, call_id);
    if (known?.task_id === task_id) return;
    if (known)
      throw new AppError(
        'conflict',
        `call ${call_id} of run ${run_id} already made task ${known.task_id}`,
      );
    conn.run(
      'INSERT INTO task_calls (run_id, call_id, task_id) VALUES (?, ?, ?)',
      run_id,
      call_id,
      task_id,
    );
  };
  const appendOutput = (task_id: string, text: string): void => {
    if (text === '') return;
    conn.run('INSERT INTO task_output (task_id, text) VALUES (?, ?)', task_id, text);
  };
  return {
    ...createTaskReads(conn),
    async insert(task, call) {
      table.insert(conn, task);
      appendOutput(task.task_id, task.partial_output);
      if (call) noteCall(call.run_id, call.call_id, task.task_id);
    },
    async patch(task_id, patch) {
      table.patch(conn, task_id, patch, now());
      if (patch.partial_output === undefined) return;
      conn.run('DELETE FROM task_output WHERE task_id = ?', task_id);
      appendOutput(task_id, patch.partial_output);
    },
    async noteCall(run_id, call_id, task_id) {
      noteCall(run_id, call_id, task_id);
    },
    async appendOutput(task_id, text) {
      appendOutput(task_id, text);
    },
  };
}
