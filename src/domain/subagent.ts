// The life of a subagent as a table. Only tasks/lifecycle moves a subagent; everybody else reads.

export const SUBAGENT_STATES = [
  'created',
  'assigned',
  'running',
  'blocked',
  'completed',
  'failed',
  'cancelled',
  'destroyed',
] as const;
export type SubagentState = (typeof SUBAGENT_STATES)[number];

/** Which state may follow which. `running | blocked → assigned` is an update or a resumption. */
export const MOVES = {
  created: ['assigned', 'failed', 'cancelled'],
  assigned: ['running', 'failed', 'cancelled'],
  running: ['completed', 'blocked', 'failed', 'cancelled', 'assigned'],
  blocked: ['running', 'failed', 'cancelled', 'assigned'],
  completed: ['destroyed'],
  failed: ['destroyed'],
  cancelled: ['destroyed'],
  destroyed: [],
} as const satisfies Record<SubagentState, readonly SubagentState[]>;

export const canMove = (from: SubagentState, to: SubagentState): boolean =>
  (MOVES[from] as readonly SubagentState[]).includes(to);

/** Outcome states: nothing but `destroyed` can follow. */
export const OUTCOMES = SUBAGENT_STATES.filter(
  (s) => MOVES[s].length === 1 && (MOVES[s] as readonly string[])[0] === 'destroyed',
);
export const isOutcome = (s: SubagentState): boolean => OUTCOMES.includes(s);
export const isOpen = (s: SubagentState): boolean => !isOutcome(s) && s !== 'destroyed';

/** Why a subagent that is alive does not hold a slot or does not move. `null`: it is working. */
export type Waiting = 'slot' | 'role' | 'child' | 'human' | 'backoff' | null;

/** One row of subagent_records: one attempt of one agent at one task. */
export type Subagent = {
  agent_id: string;
  role: string;
  ordinal: number;
  task_summary: string;
  /** agent_id of the parent subagent, or `main-agent`. */
  parent_id: string;
  state: SubagentState;
  waiting: Waiting;
  task_id: string;
  run_id: string;
  query_id: string;
  depth: number;
  endpoint: string | null;
  pid: number | null;
  port: number | null;
  model: string | null;
  error: string | null;
  server_nonce: string | null;
  /** Model retries, crashes of the role server's own making and alternates used so far for this task. */
  attempts_used: number;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};

export const MAIN_AGENT = 'main-agent';
/** "architect agent #2" */
export const agentLabel = (role: string, ordinal: number): string => `${role} agent #${ordinal}`;
