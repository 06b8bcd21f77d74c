// What model calls cost: sums by run and by day, and the calls that are under way.
import type { Usage } from '../../domain/message.ts';
import {
  type Amount,
  type DaySpend,
  NANO,
  type NodeSpend,
  nothing,
  type Reservation,
  type Settlement,
  toNano,
} from '../../domain/spend.ts';
import type { SpendReads, SpendWrites } from '../../domain/spend-ports.ts';
import type { Connection, Value } from './connection.ts';

const SUMS = `node_id, sum(iterations) AS iterations, sum(model_calls) AS model_calls,
  sum(input_tokens) AS input_tokens, sum(cached_input_tokens) AS cached_input_tokens,
  sum(output_tokens) AS output_tokens, sum(reasoning_tokens) AS reasoning_tokens, sum(nano_usd) AS nano_usd,
  sum(estimated_tokens) AS estimated_tokens, sum(estimated_nano_usd) AS estimated_nano_usd`;
const OF_QUERY = `SELECT ${SUMS} FROM run_spend WHERE query_id = ? GROUP BY node_id`;
const OF_NODE = `SELECT ${SUMS} FROM run_spend WHERE query_id = ? AND node_id = ? GROUP BY node_id`;
const ITERATIONS = 'SELECT iterations FROM run_spend WHERE run_id = ?';
const OF_DAY = 'SELECT * FROM day_spend WHERE day = ?';
const UNDER_WAY =
  'SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(nano_usd), 0) AS nano_usd FROM spend_under_way';
const OF_ROLE = `SELECT sum(s.input_tokens + s.output_tokens + s.estimated_tokens) AS tokens,
    coalesce(sum(s.nano_usd), 0) + sum(s.estimated_nano_usd) AS nano_usd
  FROM (SELECT rowid AS n, task_id, query_id FROM tasks WHERE subagent_type = ? AND +status = 'completed'
    ORDER BY rowid DESC LIMIT ?) t
  JOIN run_spend s ON s.query_id = t.query_id AND s.node_id = t.task_id
  GROUP BY t.task_id ORDER BY t.n DESC`;
// A query may have been removed while a call of it ended: the day still counts it.
const RUN_ROW = `INSERT INTO run_spend (run_id, query_id, node_id)
  SELECT ?, query_id, ? FROM queries WHERE query_id = ? ON CONFLICT (run_id) DO NOTHING`;
const STEP = 'UPDATE run_spend SET iterations = iterations + 1 WHERE run_id = ?';
const STEP_QUERY = 'UPDATE queries SET iterations = iterations + 1 WHERE query_id = ?';
const STEP_TASK = 'UPDATE tasks SET iterations = iterations + 1 WHERE task_id = ?';
const RESERVE = `INSERT INTO spend_under_way
  (run_id, query_id, node_id, day, model, tokens, nano_usd, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_RUN = `UPDATE run_spend SET model_calls = model_calls + ?, input_tokens = input_tokens + ?,
  cached_input_tokens = cached_input_tokens + ?, output_tokens = output_tokens + ?,
  reasoning_tokens = reasoning_tokens + ?,
  nano_usd = CASE WHEN ? IS NULL THEN nano_usd ELSE coalesce(nano_usd, 0) + ? END,
  estimated_tokens = estimated_tokens + ?, estimated_nano_usd = estimated_nano_usd + ? WHERE run_id = ?`;
const ADD_DAY = `INSERT INTO day_spend
  (day, model_calls, tokens, nano_usd, estimated_tokens, estimated_nano_usd) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (day) DO UPDATE SET model_calls = model_calls + excluded.model_calls,
    tokens = tokens + excluded.tokens, nano_usd = nano_usd + excluded.nano_usd,
    estimated_tokens = estimated_tokens + excluded.estimated_tokens,
    estimated_nano_usd = estimated_nano_usd + excluded.estimated_nano_usd`;

type NodeRow = Omit<Usage, 'cost_usd'> & {
  node_id: string;
  iterations: number;
  nano_usd: number | null;
  estimated_tokens: number;
  estimated_nano_usd: number;
};
type DayRow = Amount & {
  day: string;
  model_calls: number;
  estimated_tokens: number;
  estimated_nano_usd: number;
};
type OpenRow = Reservation & Amount & { call_id: number };

const nodeOf = (row: NodeRow): NodeSpend => {
  const { node_id, iterations, nano_usd, estimated_tokens, estimated_nano_usd, ...tokens } = row;
  return {
    node_id,
    iterations,
    usage: { ...tokens, cost_usd: nano_usd === null ? null : nano_usd / NANO },
    estimated: { tokens: estimated_tokens, nano_usd: estimated_nano_usd },
  };
};
const noDay = (day: string): DaySpend => ({
  day,
  model_calls: 0,
  spent: nothing(),
  estimated: nothing(),
});

export const createSpendReads = (conn: Connection): SpendReads => ({
  async ofQuery(query_id) {
    return conn.all<NodeRow>(OF_QUERY, query_id).map(nodeOf);
  },
  async ofNode(query_id, node_id) {
    const row = conn.get<NodeRow>(OF_NODE, query_id, node_id);
    return row ? nodeOf(row) : null;
  },
  async iterationsOf(run_id) {
    return conn.get<{ iterations: number }>(ITERATIONS, run_id)?.iterations ?? 0;
  },
  async ofDay(day) {
    const row = conn.get<DayRow>(OF_DAY, day);
    if (!row) return noDay(day);
    return {
      day,
      model_calls: row.model_calls,
      spent: { tokens: row.tokens, nano_usd: row.nano_usd },
      estimated: { tokens: row.estimated_tokens, nano_usd: row.estimated_nano_usd },
    };
  },
  async underWay(of) {
    const given = Object.entries(of) as [string, Value][];
    const where = given.map(([column]) => `${column} = ?`).join(' AND ');
    const sql = where === '' ? UNDER_WAY : `${UNDER_WAY} WHERE ${where}`;
    return conn.get<Amount>(sql, ...given.map(([, value]) => value)) ?? nothing();
  },
  async ofRole(role, n) {
    return conn.all<Amount>(OF_ROLE, role, n);
  },
});

export function createSpendStore(conn: Connection, now: () => string): SpendWrites {
  function count(row: OpenRow, { usage, estimated }: Settlement): void {
    const nano = usage?.cost_usd == null ? null : toNano(usage.cost_usd);
    const tokens = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0) + estimated.tokens;
    conn.run(RUN_ROW, row.run_id, row.node_id, row.query_id);
    conn.run(
      ADD_RUN,
      ...[usage?.model_calls ?? 0, usage?.input_tokens ?? 0, usage?.cached_input_tokens ?? 0],
      ...[usage?.output_tokens ?? 0, usage?.reasoning_tokens ?? 0, nano, nano],
      ...[estimated.tokens, estimated.nano_usd, row.run_id],
    );
    conn.run(
      ADD_DAY,
      ...[row.day, usage?.model_calls ?? 0, tokens, (nano ?? 0) + estimated.nano_usd],
      ...[estimated.tokens, estimated.nano_usd],
    );
    conn.run('DELETE FROM spend_under_way WHERE call_id = ?', row.call_id);
  }
  return {
    ...createSpendReads(conn),
    async step({ run_id, node_id, query_id }) {
      conn.run(RUN_ROW, run_id, node_id, query_id);
      conn.run(STEP, run_id);
      conn.run(STEP_QUERY, query_id);
      if (node_id !== query_id) conn.run(STEP_TASK, node_id);
    },
    async reserve({ run_id, query_id, node_id, day, model, most: { tokens, nano_usd } }) {
      const values = [run_id, query_id, node_id, day, model, tokens, nano_usd, now()];
      return conn.run(RESERVE, ...values).rowid;
    },
    async settle(call_id, came) {
      const row = conn.get<OpenRow>('SELECT * FROM spend_under_way WHERE call_id = ?', call_id);
      if (row) count(row, came);
    },
    async settleAll() {
      const rows = conn.all<OpenRow>('SELECT * FROM spend_under_way');
      const spent = nothing();
      for (const row of rows) {
        const { tokens, nano_usd } = row;
        count(row, { usage: null, estimated: { tokens, nano_usd } });
        spent.tokens += tokens;
        spent.nano_usd += nano_usd;
      }
      return { calls: rows.length, spent };
    },
  };
}
