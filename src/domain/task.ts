// A task: a piece of work handed to a role. Its task_id is also its thread id.
import type { Failure } from './errors.ts';
import type { Message, Usage } from './message.ts';
import type { OutputSchema } from './output-schema.ts';
import type { SubagentState, Waiting } from './subagent.ts';

export type TaskStatus = Exclude<SubagentState, 'destroyed'>;
export const TASK_STATUSES = [
  'created',
  'assigned',
  'running',
  'blocked',
  'completed',
  'failed',
  'cancelled',
] as const satisfies readonly TaskStatus[];
export const isOpenTask = (s: TaskStatus): boolean =>
  s === 'created' || s === 'assigned' || s === 'running' || s === 'blocked';

/** Why a run exists: the first start, a follow-up on the thread, a retry by hand, or an alternate role. */
export type RunKind = 'start' | 'update' | 'retry' | 'alternate';

/** Of the input of one model call. `usd_per_turn` null: the model has no price. */
export type ResumeEstimate = { tokens_per_turn: number; usd_per_turn: number | null };

export type Task = {
  task_id: string;
  /** The latest run on the task's thread. */
  run_id: string;
  query_id: string;
  parent_task_id: string | null;
  /** The role that was asked for; an alternate shows in the attempts. */
  subagent_type: string;
  description: string;
  status: TaskStatus;
  waiting: Waiting;
  depth: number;
  max_depth: number;
  /** Full text of the outcome; null until there is one. */
  result: string | null;
  error: Failure | null;
  /** Progress lines, a blank line, then the text so far. Append-only. */
  partial_output: string;
  usage: Usage;
  /** Model steps that its attempts have begun; those of its own tasks are not in it. */
  iterations: number;
  /** What each model call costs at least when its thread goes on after an end or a crash; null: it never has. */
  resume_estimate: ResumeEstimate | null;
  /** What the result claims without a receipt for it: `tests pass`. */
  unverified: string[];
  /** The shape that the result must have, when one was asked for. */
  output_schema: OutputSchema | null;
  /** Whether the result fits it; null: none was asked for, or there is no result yet. */
  schema_valid: boolean | null;
  /** The JSON of a result that fits. */
  structured: unknown;
  /** Set when the parent has been given the outcome; from the start when no parent waits for it. */
  delivered_at: string | null;
  created_at: string;
  updated_at: string;
};

/** It works for the runtime: no agent waits for its outcome, and it may outlast the turn in which it began. */
export const isAside = ({ status, delivered_at }: Task): boolean =>
  isOpenTask(status) && delivered_at !== null;

/** One execution on a task's thread. */
export type Run = {
  run_id: string;
  task_id: string;
  /** Empty while the run waits for the attempt before it to end. */
  agent_id: string;
  kind: RunKind;
  /** The messages that this run adds to the thread before its first model call. */
  input: Message[];
  created_at: string;
};
