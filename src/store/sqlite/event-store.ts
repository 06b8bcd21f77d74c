// Events: rows of subagent_events, numbered by event_id in commit order, without gaps.
// An append also goes to the outbox, from which the store publishes it once it is committed.
import type { EventFilter, EventKind, TroupeEvent } from '../../domain/event.ts';
import type { EventReads, Tx } from '../../domain/ports.ts';
import type { Connection, Value } from './connection.ts';

type EventRow = {
  event_id: number;
  kind: EventKind;
  state: string;
  detail: string;
  query_id: string | null;
  task_id: string | null;
  agent_id: string | null;
  role: string | null;
  data_json: string;
  created_at: string;
};
const decode = ({ event_id, data_json, created_at, ...row }: EventRow): TroupeEvent => ({
  seq: event_id,
  kind: row.kind,
  state: row.state,
  detail: row.detail,
  query_id: row.query_id,
  task_id: row.task_id,
  agent_id: row.agent_id,
  role: row.role,
  data: JSON.parse(data_json) as Record<string, unknown>,
  at: created_at,
});

const SELECT = 'SELECT * FROM subagent_events WHERE';
const ORDER = 'event_id > ? ORDER BY event_id LIMIT ?';
const INSERT = `INSERT INTO subagent_events
  (agent_id, state, detail, created_at, kind, query_id, task_id, role, data_json)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
// The last number given, even if gc has removed the row that had it.
const LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'subagent_events'";
/** The key of meta under which retention notes the highest sequence that it has removed. */
export const REMOVED = 'events_removed';
const REMOVED_UP_TO = 'SELECT CAST(value AS INTEGER) AS seq FROM meta WHERE key = ?';
/** From the fewest events to the most: the first that is given leads, the others are checked row by row. */
const LEADS = ['task_id', 'query_id', 'role'] as const;
/** Kinds with an index. The others make up most of the log: they are found soon by walking it. */
const RARE: ReadonlySet<EventKind> = new Set<EventKind>([
  'query',
  'server',
  'notice',
  'policy',
  'branch',
  'security',
]);
const RARE_KIND = `kind IN ('query', 'server', 'notice', 'policy', 'branch', 'security')`;
/** Kinds with an index of their own name what it holds, so that it is used. */
const whichKind = (kind: EventKind): string =>
  RARE.has(kind) ? `${RARE_KIND} AND kind = ?` : kind === 'review' ? REVIEW_KIND : '+kind = ?';
const REVIEW_KIND = `kind = 'review' AND kind = ?`;
/** All events of an agent carry its task. */
const OF_AGENT =
  'task_id = (SELECT task_id FROM subagent_records WHERE agent_id = ?) AND +agent_id = ? AND';

function readAfter(
  conn: Connection,
  after: number,
  filter: EventFilter,
  limit: number,
): EventRow[] {
  const { kinds, agent_id } = filter;
  const given = LEADS.filter((column) => filter[column] !== undefined);
  const values: Value[] = given.map((column) => filter[column] as string);
  if (given.length === 0 && agent_id === undefined && kinds) {
    // One ordered look per kind, merged here: an IN over the kinds would be sorted as a whole.
    const each = kinds.map((kind) => {
      return conn.all<EventRow>(`${SELECT} ${whichKind(kind)} AND ${ORDER}`, kind, after, limit);
    });
    return each
      .flat()
      .sort((a, b) => a.event_id - b.event_id)
      .slice(0, limit);
  }
  const led = agent_id !== undefined;
  const conditions = given.map((column, i) => `${i === 0 && !led ? '' : '+'}${column} = ? AND`);
  if (led) conditions.unshift(OF_AGENT);
  if (kinds) conditions.push(`+kind IN (${kinds.map(() => '?').join(', ')}) AND`);
  const sql = [SELECT, ...conditions, ORDER].join(' ');
  const agent: Value[] = led ? [agent_id, agent_id] : [];
  return conn.all<EventRow>(sql, ...agent, ...values, ...(kinds ?? []), after, limit);
}

export const createEventReads = (conn: Connection): EventReads => ({
  async after(after, filter, limit) {
    return readAfter(conn, after, filter, limit).map(decode);
  },
  async last() {
    return conn.get<{ seq: number }>(LAST)?.seq ?? 0;
  },
  async removed() {
    return conn.get<{ seq: number }>(REMOVED_UP_TO, REMOVED)?.seq ?? 0;
  },
});

export const createEventStore = (
  conn: Connection,
  now: () => string,
  outbox: TroupeEvent[],
): Tx['events'] => ({
  ...createEventReads(conn),
  async append(event) {
    const { kind, state, detail = '', query_id = null, task_id = null } = event;
    const { agent_id = null, role = null } = event;
    const data_json = JSON.stringify(event.data ?? {});
    const at = now();
    const { rowid: seq } = conn.run(
      INSERT,
      ...[agent_id, state, detail, at, kind, query_id, task_id, role, data_json],
    );
    // Parsed back, so that what is published is what is stored, and nobody can change it afterwards.
    const data = JSON.parse(data_json) as Record<string, unknown>;
    outbox.push({ seq, kind, state, detail, query_id, task_id, agent_id, role, data, at });
    return seq;
  },
});
