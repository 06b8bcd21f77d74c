// Checkpoints: what each step added to a thread, append-only; and the tool calls that a run has under way.
import type { Message } from '../../domain/message.ts';
import type { CallRecord, CheckpointReads, Tx } from '../../domain/ports.ts';
import type { Connection } from './connection.ts';

type CheckpointRow = { step: number; messages_json: string; hidden: number };
const THREAD =
  'SELECT step, messages_json, hidden FROM checkpoints WHERE thread_id = ? ORDER BY seq';
const OF_RUN = 'SELECT messages_json FROM checkpoints WHERE run_id = ?';
const LAST = 'SELECT max(seq) AS seq FROM checkpoints WHERE thread_id = ?';
const APPEND = `INSERT INTO checkpoints
  (thread_id, seq, parent_seq, run_id, step, messages_json, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, step) DO NOTHING`;
const OPEN_CALLS = `SELECT call_id AS id, name, started_at FROM tool_calls
  WHERE run_id = ? AND ended_at IS NULL ORDER BY rowid`;
const CALLS = `SELECT call_id AS id, name, arguments, started_at, ended_at, ok, summary, exit_code
  FROM tool_calls WHERE run_id = ? ORDER BY rowid`;
const START = `INSERT INTO tool_calls (run_id, call_id, name, arguments, started_at)
  VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
// A call that was refused before it started has a receipt all the same.
const END = `INSERT INTO tool_calls
  (run_id, call_id, name, arguments, started_at, ended_at, ok, summary, duration_ms, exit_code)
  VALUES (?, ?, ?, '', ?, ?, ?, ?, ?, ?)
  ON CONFLICT (run_id, call_id) DO UPDATE SET ended_at = excluded.ended_at, ok = excluded.ok,
    summary = excluded.summary, duration_ms = excluded.duration_ms, exit_code = excluded.exit_code
  WHERE ended_at IS NULL`;

export const createCheckpointReads = (conn: Connection): CheckpointReads => ({
  /** `next_step` is above every step of the thread, hidden ones and those of earlier runs included. */
  async thread(thread_id) {
    const rows = conn.all<CheckpointRow>(THREAD, thread_id);
    return {
      messages: rows
        .filter((row) => row.hidden === 0)
        .flatMap((row) => JSON.parse(row.messages_json) as Message[]),
      next_step: rows.reduce((next, row) => Math.max(next, row.step + 1), 0),
    };
  },
  async calls(run_id) {
    const rows = conn.all<Omit<CallRecord, 'ok'> & { ok: number | null }>(CALLS, run_id);
    return rows.map((row) => ({ ...row, ok: row.ok === 1 }));
  },
  async answers(run_id) {
    const rows = conn.all<{ messages_json: string }>(OF_RUN, run_id);
    const messages = rows.flatMap((row) => JSON.parse(row.messages_json) as Message[]);
    return messages.filter(({ role }) => role === 'assistant').length;
  },
  async openCalls(run_id) {
    return conn.all(OPEN_CALLS, run_id);
  },
});

export const createCheckpointStore = (conn: Connection, now: () => string): Tx['checkpoints'] => ({
  ...createCheckpointReads(conn),
  async append({ thread_id, run_id, step, messages }) {
    const parent = conn.get<{ seq: number | null }>(LAST, thread_id)?.seq ?? null;
    const seq = (parent ?? 0) + 1;
    const json = JSON.stringify(messages);
    return conn.run(APPEND, thread_id, seq, parent, run_id, step, json, now()).changes === 1;
  },
  async startCall(run_id, call) {
    conn.run(START, run_id, call.id, call.name, call.arguments, now());
  },
  async endCall(run_id, receipt) {
    const { id, name, ok, summary, duration_ms, exit_code } = receipt;
    conn.run(END, run_id, id, name, now(), now(), ok ? 1 : 0, summary, duration_ms, exit_code);
  },
});
