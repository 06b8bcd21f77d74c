// Retention: removes ended queries with all that hangs on them. Whether one may go is looked at here, in the unit
// that removes it, so that nothing which has come back to life in between is lost.
import type { Retention } from '../../domain/ports.ts';
import { isOpenQuery, QUERY_STATUSES } from '../../domain/query.ts';
import { addRows, noRows, type RemovedRows } from '../../domain/retention.ts';
import { isOpenTask, TASK_STATUSES } from '../../domain/task.ts';
import type { Connection } from './connection.ts';
import { REMOVED } from './event-store.ts';

/** A unit that has removed so many rows ends: it holds the event loop. */
const MOST_ROWS = 2_000;

const list = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');
const ENDED = list(QUERY_STATUSES.filter((status) => !isOpenQuery(status)));
const OPEN = list(TASK_STATUSES.filter(isOpenTask));
const MAY_GO = `SELECT 1 FROM queries q WHERE query_id = ? AND +status IN (${ENDED}) AND updated_at < ?
  AND NOT EXISTS (SELECT 1 FROM tasks WHERE query_id = q.query_id
    AND (+status IN (${OPEN}) OR updated_at >= ?))`;

const TASKS = 'SELECT task_id FROM tasks WHERE query_id = ?';
const RUNS = `SELECT run_id FROM runs WHERE task_id IN (${TASKS})`;
const TURNS = 'SELECT run_id FROM loop_runs WHERE thread_id = ?';
const LAST_EVENT = 'SELECT max(event_id) AS seq FROM subagent_events WHERE query_id = ?';
/** In this order: each step finds its rows by what the next ones remove. Output and calls go with their tasks. */
const STEPS: readonly [keyof RemovedRows, string][] = [
  ['tool_calls', `DELETE FROM tool_calls WHERE run_id IN (${RUNS})`],
  ['tool_calls', `DELETE FROM tool_calls WHERE run_id IN (${TURNS})`],
  ['checkpoints', `DELETE FROM checkpoints WHERE thread_id IN (${TASKS})`],
  ['checkpoints', 'DELETE FROM checkpoints WHERE thread_id = ?'],
  ['turns', 'DELETE FROM loop_runs WHERE thread_id = ?'],
  ['runs', `DELETE FROM runs WHERE task_id IN (${TASKS})`],
  ['subagents', 'DELETE FROM subagent_records WHERE query_id = ?'],
  ['events', 'DELETE FROM subagent_events WHERE query_id = ?'],
  ['tasks', 'DELETE FROM tasks WHERE query_id = ?'],
  ['queries', 'DELETE FROM queries WHERE query_id = ?'],
];
/** Kinds of events that may belong to no query. Each has an index. */
const LOOSE = ['server', 'notice', 'policy', 'branch', 'security'];
const LOOSE_EVENTS = `SELECT event_id AS seq FROM subagent_events
  WHERE kind IN ('query', 'server', 'notice', 'policy', 'branch', 'security') AND kind = ?
    AND +query_id IS NULL AND created_at < ? ORDER BY event_id LIMIT ?`;
const NOTE = `INSERT INTO meta (key, value) VALUES ('${REMOVED}', ?) ON CONFLICT (key) DO UPDATE
  SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`;

export function createRetentionStore(conn: Connection): Retention {
  const noteRemoved = (seq: number): void => void conn.run(NOTE, String(seq));

  function remove(query_id: string): RemovedRows {
    const rows = noRows();
    const last = conn.get<{ seq: number | null }>(LAST_EVENT, query_id)?.seq ?? 0;
    for (const [kind, sql] of STEPS) {
      const { changes } = conn.run(sql, query_id);
      rows[kind] += changes;
    }
    if (last > 0) noteRemoved(last);
    return rows;
  }

  return {
    async removeQueries(query_ids, before) {
      const rows = noRows();
      const gone: string[] = [];
      let looked = 0;
      for (const query_id of query_ids) {
        looked += 1;
        if (conn.get(MAY_GO, query_id, before, before) === undefined) continue;
        addRows(rows, remove(query_id));
        gone.push(query_id);
        if (Object.values(rows).reduce((sum, n) => sum + n, 0) >= MOST_ROWS) break;
      }
      return { looked, query_ids: gone, rows };
    },
    async removeLooseEvents(before, limit) {
      let found = 0;
      for (const kind of LOOSE) {
        const events = conn.all<{ seq: number }>(LOOSE_EVENTS, kind, before, limit - found);
        for (const { seq } of events) {
          conn.run('DELETE FROM subagent_events WHERE event_id = ?', seq);
          noteRemoved(seq);
        }
        found += events.length;
        if (found >= limit) break;
      }
      return found;
    },
  };
}
