// Reviews: what waits for a person. A closed one never changes.
import type { Review, ReviewOf, ReviewReads, ReviewWrites } from '../../domain/review.ts';
import type { Connection } from './connection.ts';
import { readPage } from './page.ts';
import { describeTable, type Row } from './table.ts';

const table = describeTable<Review>('reviews', 'review_id', {
  review_id: 'plain',
  kind: 'plain',
  query_id: 'plain',
  task_id: 'plain',
  agent_id: 'plain',
  role: 'plain',
  path: ['json', 'path_json'],
  context: 'plain',
  request: ['json', 'request_json'],
  decision: ['json', 'decision_json'],
  status: 'plain',
  blocking: 'flag',
  run_id: 'plain',
  call_id: 'plain',
  created_at: 'plain',
  expires_at: 'plain',
  decided_at: 'plain',
  decided_by: 'plain',
});
const SELECT = `SELECT ${table.columns} FROM reviews WHERE`;
const BY_CALL = `${SELECT} run_id = ? AND call_id = ?`;
const PENDING = `${SELECT} status = 'pending' ORDER BY rowid`;
const PENDING_OF = `${SELECT} query_id = ? AND +status = 'pending' ORDER BY rowid`;
const GRANTED = `${SELECT} query_id = ? AND kind = 'approval' AND +status = 'decided'
  AND json_extract(request_json, '$.subject') = ? AND json_extract(decision_json, '$.decision') = 'session' LIMIT 1`;
const CLOSE = `UPDATE reviews SET status = ?, decision_json = ?, decided_at = ?, decided_by = ?
  WHERE review_id = ? AND status = 'pending'`;

export const createReviewReads = (conn: Connection): ReviewReads => {
  const one = (row: Row | undefined): Review | null => (row ? table.decode(row) : null);
  return {
    async get(review_id) {
      return table.byKey(conn, review_id);
    },
    async byCall(run_id, call_id) {
      return one(conn.get<Row>(BY_CALL, run_id, call_id));
    },
    async list({ status, kind, query_id, ...ask }) {
      const lead =
        query_id === undefined ? (status === undefined ? { kind } : { status }) : { query_id };
      return readPage(conn, table, ask, lead, {
        ...(query_id === undefined ? {} : { status }),
        ...(query_id === undefined && status === undefined ? {} : { kind }),
      });
    },
    async pending(query_id) {
      const rows =
        query_id === undefined ? conn.all<Row>(PENDING) : conn.all<Row>(PENDING_OF, query_id);
      return rows.map(table.decode);
    },
    async granted(query_id, subject) {
      return one(conn.get<Row>(GRANTED, query_id, subject)) as ReviewOf<'approval'> | null;
    },
  };
};

export const createReviewStore = (conn: Connection): ReviewWrites => ({
  ...createReviewReads(conn),
  async insert(review) {
    table.insert(conn, review);
  },
  async close(review_id, { status, decision, decided_at, decided_by }) {
    const json = decision === null ? null : JSON.stringify(decision);
    return conn.run(CLOSE, status, json, decided_at, decided_by, review_id).changes === 1;
  },
});
