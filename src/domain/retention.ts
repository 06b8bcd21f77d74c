// What leaves the state folder, and what is copied out of it: the shapes of gc and backup. Shapes only.

/** Rows by kind. Output and the notes of calls go with their tasks and are not counted. */
export type RemovedRows = {
  queries: number;
  tasks: number;
  subagents: number;
  runs: number;
  turns: number;
  checkpoints: number;
  tool_calls: number;
  events: number;
};
export const noRows = (): RemovedRows => ({
  queries: 0,
  tasks: 0,
  subagents: 0,
  runs: 0,
  turns: 0,
  checkpoints: 0,
  tool_calls: 0,
  events: 0,
});
export function addRows(sum: RemovedRows, more: RemovedRows): void {
  for (const kind of Object.keys(sum) as (keyof RemovedRows)[]) sum[kind] += more[kind];
}

export type GcAsk = { older_than_s: number; dry_run: boolean };
export type GcReport = {
  dry_run: boolean;
  /** What ended and was not touched since then (RFC 3339) is removed. */
  before: string;
  /** There is more of it: ask again. */
  more: boolean;
  rows: RemovedRows;
  /** Folders under the state folder. `kept`: those that somebody had named. */
  workdirs: { removed: number; kept: number; bytes: number };
  /** Logs of role servers that had been turned over. */
  logs: { removed: number; bytes: number };
  /** From here on the event log is whole; below it, only the events of one query, task or subagent are. */
  first_kept_seq: number;
};

export type BackupReport = {
  path: string;
  state: 'running' | 'done' | 'failed';
  /** Bytes of the copy; null until it is done. */
  bytes: number | null;
  duration_ms: number | null;
  error: string | null;
};
