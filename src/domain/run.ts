// One execution of the agent loop, as main and a role server see it. The same shapes serve in one process.

import type { BrainAnswer, BrainCall } from './brain.ts';
import type { DepthStatus } from './depth.ts';
import type { ErrorCode, Failure } from './errors.ts';
import type { MemoryAnswer, MemoryCall } from './memory.ts';
import type { Message, ModelChunk, ModelRequest, Usage } from './message.ts';
import type { PolicyNote } from './policy.ts';
import type { AskAnswer, AskCall } from './review.ts';

export type RunLimits = {
  max_iterations: number;
  /** Bytes (UTF-8) of one tool result that reach the model; the whole is kept in a file. */
  result_limit: number;
  /** Seconds a tool command may take when it names no limit, and at most. */
  tool_timeout_s: number;
  tool_timeout_max_s: number;
  /** Seconds for the whole run; 0 = none. */
  timeout_s: number;
  /** Hosts, host:port, addresses and CIDR blocks that fetch may reach although they are not public. */
  fetch_allow: readonly string[];
};

/** What starts a run. Only main makes one; a role server refuses a run without a valid one. */
export type Envelope = {
  v: 1;
  run_id: string;
  /** The task's id. */
  thread_id: string;
  agent_id: string;
  query_id: string;
  role: string;
  /** Bearer token for calls back to main; dies with the run and reaches only its own tree. */
  run_token: string;
  /** The thread so far, this run's new messages last. */
  messages: Message[];
  prompt: string;
  model: string;
  /** Names of the tools that the agent may use; the runtime refuses others. */
  tools: string[];
  spawn: { may_start: string[]; depth: number; max_depth: number; status: DepthStatus };
  /** Absolute path of the query's workdir. */
  workdir: string;
  memory_block: string;
  limits: RunLimits;
  /** First step number to write: 0 for a new run, more for a resumed one. */
  first_step: number;
};

/** Why a run ended. Only `goal` is a success. */
export type EndReason =
  | 'goal'
  | 'iteration_cap'
  | 'empty'
  | 'refused'
  | 'no_progress'
  | 'error'
  | 'timeout'
  | 'cancelled'
  | 'safe_stop'
  | 'blocked';

export type RunOutcome = {
  status: 'completed' | 'failed' | 'cancelled';
  end_reason: EndReason;
  /** Final text, or what was there when it ended otherwise. */
  text: string;
  error: Failure | null;
  usage: Usage;
  iterations: number;
  model: string | null;
  /** Processes that tool commands left running and the runtime stopped; named in the result. */
  background_left: string[];
};

/** New messages of a thread since the last step. Idempotent by (run_id, step). */
export type StepDelta = {
  step: number;
  messages: Message[];
  /** Tasks whose outcome is in these messages: they are never announced again. */
  delivered: string[];
};

/** A tool call that starts now; durable before the tool runs. Carries the model step that asked for it. */
export type ToolStart = {
  step: StepDelta | null;
  calls: { id: string; name: string; arguments: string }[];
};
export type ToolReceipt = {
  id: string;
  name: string;
  ok: boolean;
  /** One line for people: what it did, at most 200 characters. */
  summary: string;
  duration_ms: number;
  /** Exit code of a command, else null. */
  exit_code: number | null;
};

export type Progress = { activity: string };

/** What the five async tools ask for. `call_id` is the tool_call_id: start and update are idempotent by it. */
export type TaskCall =
  | { op: 'start'; call_id: string; subagent_type: string; description: string }
  | { op: 'check'; task_id: string; wait_ms: number }
  | { op: 'update'; call_id: string; task_id: string; message: string }
  | { op: 'cancel'; task_id: string }
  | { op: 'list'; status: string | null }
  /** Waits (at most `wait_ms`) for outcomes of this run's open tasks that it has not been given yet. */
  | { op: 'join'; wait_ms: number };

export type TaskBrief = {
  task_id: string;
  subagent_type: string;
  status: string;
  waiting: string | null;
  description: string;
  result: string | null;
  /** What the result claims without a receipt for it. */
  unverified: string[];
  error: string | null;
  partial_output: string;
  created_at: string;
  updated_at: string;
};

export type TaskAnswer =
  | { ok: true; op: 'start' | 'check' | 'update' | 'cancel'; task: TaskBrief }
  | { ok: true; op: 'list'; tasks: TaskBrief[] }
  /** `ended`: outcomes not given before, in the order they ended. `open`: tasks still at work. */
  | { ok: true; op: 'join'; ended: TaskBrief[]; open: TaskBrief[] }
  | { ok: false; code: ErrorCode; message: string };

/**
 * What a run may ask of main. `model` streams and is cancelled by its signal; every other call has a deadline
 * and is idempotent. A rejected promise means that main cannot be reached or has fenced the run off.
 */
export type RunHost = {
  model(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
  /** Durable before it resolves. `receipts`: tool calls that ended with this step. */
  step(delta: StepDelta, receipts: ToolReceipt[]): Promise<void>;
  toolStarted(start: ToolStart): Promise<void>;
  tasks(call: TaskCall, signal: AbortSignal): Promise<TaskAnswer>;
  /** A resilience policy has acted in this run. Durable before it resolves. */
  policy(note: PolicyNote): Promise<void>;
  /** Long-term memory. What it stores is durable before it resolves, and idempotent by call_id. */
  memory(call: MemoryCall): Promise<MemoryAnswer>;
  /** The shared notes of the query; the same holds. */
  brain(call: BrainCall): Promise<BrainAnswer>;
  /**
   * Asks a person; durable before anybody waits, and idempotent by call_id. While it waits the run holds neither a
   * slot nor a place. Answers `pending` after `wait_ms`: then the same call is made again.
   */
  ask(call: AskCall, signal: AbortSignal): Promise<AskAnswer>;
  /** At most one a second reaches main; never fails. */
  progress(progress: Progress): void;
  /** The outcome, once, with the last step that no other call has carried. Durable before it resolves. */
  result(outcome: RunOutcome, last: StepDelta | null): Promise<void>;
};
