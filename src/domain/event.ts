// Events: one integer sequence in commit order over everything that happens. Rows of subagent_events.

export const EVENT_KINDS = [
  'query', // a query changed status; state = the new status
  'subagent', // a subagent moved; state = the new state
  'server', // a role server: spawned, ready, reused, attached, stopping, stopped, crashed, failed_start, parked, unparked
  'output', // coalesced model text of a run; data.text; the only kind that may be thinned
  'tool', // a tool call: started, finished
  'notice', // runtime to agent: completion, steer, missed, late_result, background_left, compacted
  'policy', // a resilience policy acted
  'branch', // a branching decision
  'security', // something was refused for safety
  'review', // something waits for a person, or no longer; state = the new status
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** What a caller appends; the log adds seq and time. Absent ids are null in the row. */
export type NewEvent = {
  kind: EventKind;
  state: string;
  detail?: string;
  query_id?: string | null;
  task_id?: string | null;
  agent_id?: string | null;
  role?: string | null;
  data?: Record<string, unknown>;
};

export type TroupeEvent = {
  seq: number;
  kind: EventKind;
  state: string;
  detail: string;
  query_id: string | null;
  task_id: string | null;
  agent_id: string | null;
  role: string | null;
  data: Record<string, unknown>;
  /** RFC 3339, UTC; for display only: order is by seq. */
  at: string;
};

/** All given fields must match. */
export type EventFilter = {
  query_id?: string;
  task_id?: string;
  agent_id?: string;
  role?: string;
  kinds?: readonly EventKind[];
};
export const matches = (e: TroupeEvent, f: EventFilter): boolean =>
  (f.query_id === undefined || e.query_id === f.query_id) &&
  (f.task_id === undefined || e.task_id === f.task_id) &&
  (f.agent_id === undefined || e.agent_id === f.agent_id) &&
  (f.role === undefined || e.role === f.role) &&
  (f.kinds === undefined || f.kinds.includes(e.kind));

/** Retention removes queries whole: a reader of one of them cannot have missed a part. */
export const isOfOne = (f: EventFilter): boolean =>
  f.query_id !== undefined || f.task_id !== undefined || f.agent_id !== undefined;
