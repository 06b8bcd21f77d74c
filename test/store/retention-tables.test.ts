// A table that hangs on queries, tasks or runs must go with them: whoever adds one finds out here.
import { expect, it } from 'vitest';
import { openTemp } from './support.ts';

/** By what each one goes. The notes of calls that made memories stay with the memories. */
const GOES: Record<string, string> = {
  queries: 'retention',
  tasks: 'retention',
  runs: 'retention',
  subagent_records: 'retention',
  subagent_events: 'retention',
  loop_runs: 'retention',
  checkpoints: 'retention',
  tool_calls: 'retention',
  task_output: 'its task (cascade)',
  task_calls: 'its task (cascade)',
  brain_notes: 'its query (cascade)',
  run_spend: 'its query (cascade)',
  spend_under_way: 'goes with the end of the call',
  reviews: 'its query (cascade)',
  remember_rounds: 'its query (cascade)',
  memory_entries: 'stays',
};

it('every table that names a query, a task or a run has a way to go', async () => {
  await using opened = await openTemp();
  const conn = opened.database.reader;
  const tables = conn.all<{ name: string }>(
    `SELECT DISTINCT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND c.name IN ('query_id', 'task_id', 'thread_id', 'run_id')`,
  );
  expect(tables.map((t) => t.name).sort()).toEqual(Object.keys(GOES).sort());
  for (const [name, how] of Object.entries(GOES)) {
    if (!how.endsWith('(cascade)')) continue;
    const keys = conn.all<{ table: string; on_delete: string }>(`PRAGMA foreign_key_list(${name})`);
    expect(
      keys.map((k) => k.on_delete),
      name,
    ).toContain('CASCADE');
  }
});
