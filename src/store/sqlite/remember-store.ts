// What was asked of the role `remember` and what became of it, and the proposals that a person has rejected.
import {
  REJECTIONS_KEPT,
  type RejectedProposal,
  type RememberReads,
  type RememberRound,
  type RememberWrites,
} from '../../domain/memory-ports.ts';
import type { Connection } from './connection.ts';

const ROUND = 'run_id, query_id, task_id, review, state, review_id, reason, created_at';
const ROUNDS = `SELECT ${ROUND} FROM remember_rounds`;
const INSERT = `INSERT INTO remember_rounds (${ROUND}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const SETTLE = `UPDATE remember_rounds SET state = ?, review_id = ?, reason = ?
  WHERE run_id = ? AND state = 'asked'`;
const REJECTED = `SELECT project, path, essence, reason, rejected_at FROM rejected_proposals
  WHERE project = ? ORDER BY rowid DESC`;
const REJECT = `INSERT INTO rejected_proposals (project, path, essence, reason, rejected_at)
  VALUES (?, ?, ?, ?, ?)`;

const FORGET = `DELETE FROM rejected_proposals WHERE project = ? AND rowid <= (
  SELECT rowid FROM rejected_proposals WHERE project = ? ORDER BY rowid DESC LIMIT 1 OFFSET ?)`;

export const createRememberReads = (conn: Connection): RememberReads => ({
  async round(run_id) {
    return conn.get<RememberRound>(`${ROUNDS} WHERE run_id = ?`, run_id) ?? null;
  },
  async ofQuery(query_id) {
    return conn.all<RememberRound>(`${ROUNDS} WHERE query_id = ? ORDER BY rowid`, query_id);
  },
  async open() {
    return conn.all<RememberRound>(`${ROUNDS} WHERE state = 'asked' ORDER BY rowid`);
  },
  async rejected(project) {
    return conn.all<RejectedProposal>(REJECTED, project);
  },
});

export const createRememberStore = (conn: Connection): RememberWrites => ({
  ...createRememberReads(conn),
  async insertRound(r) {
    conn.run(
      INSERT,
      ...[r.run_id, r.query_id, r.task_id, r.review, r.state, r.review_id, r.reason, r.created_at],
    );
  },
  async settle(run_id, { state, review_id, reason }) {
    return conn.run(SETTLE, state, review_id, reason, run_id).changes === 1;
  },
  async reject({ project, path, essence, reason, rejected_at }) {
    conn.run(REJECT, project, path, essence, reason, rejected_at);
    conn.run(FORGET, project, project, REJECTIONS_KEPT);
  },
});
