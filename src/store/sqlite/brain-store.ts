// The shared notes of a query, append-only, numbered in commit order. They go with their query.
import type { BrainNote } from '../../domain/brain.ts';
import type { BrainReads, BrainWrites } from '../../domain/memory-ports.ts';
import type { Connection, Value } from './connection.ts';

const COLUMNS = 'note_id, query_id, kind, author, role, task_id, branch, note, at';
const INSERT = `INSERT INTO brain_notes (query_id, kind, author, role, task_id, branch, note, at, run_id, call_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, call_id) DO NOTHING`;
const BY_CALL = 'SELECT note_id FROM brain_notes WHERE run_id = ? AND call_id = ?';
const COUNTS = `SELECT author, branch, sum(kind = 'note') AS notes, count(*) AS "all" FROM brain_notes WHERE query_id = ?
  GROUP BY author, branch ORDER BY min(note_id)`;
// Both counts are read from an index alone.
const OTHERS = `SELECT (SELECT count(*) FROM brain_notes WHERE query_id = ?)
  - (SELECT count(*) FROM brain_notes WHERE run_id = ?) AS n`;
const HAS_NOTED = "SELECT 1 FROM brain_notes WHERE run_id = ? AND kind = 'note' LIMIT 1";

export const createBrainReads = (conn: Connection): BrainReads => ({
  async ofQuery({ query_id, branch, after = 0, limit }) {
    const values: Value[] = branch === undefined ? [] : [branch];
    const sql = `SELECT ${COLUMNS} FROM brain_notes WHERE query_id = ? AND note_id > ?
      ${branch === undefined ? '' : 'AND +branch = ?'} ORDER BY note_id LIMIT ?`;
    return conn.all<BrainNote>(sql, query_id, after, ...values, limit);
  },
  async counts(query_id) {
    return conn.all(COUNTS, query_id);
  },
  async others(query_id, run_id) {
    return conn.get<{ n: number }>(OTHERS, query_id, run_id)?.n ?? 0;
  },
  async hasNoted(run_id) {
    return conn.get(HAS_NOTED, run_id) !== undefined;
  },
});

export const createBrainStore = (conn: Connection, now: () => string): BrainWrites => ({
  ...createBrainReads(conn),
  async insert({ query_id, kind, author, role, task_id, branch, note, run_id, call_id }) {
    const { changes, rowid } = conn.run(
      INSERT,
      ...[query_id, kind, author, role, task_id, branch, note, now(), run_id, call_id],
    );
    if (changes === 1) return { note_id: rowid, fresh: true };
    return {
      note_id: conn.get<{ note_id: number }>(BY_CALL, run_id, call_id)?.note_id ?? 0,
      fresh: false,
    };
  },
});
