// One execution of the agent loop, as main and a role server see it. The same shapes serve in one process.

import type { BrainAnswer, BrainCall } from './brain.ts';
import type { DepthStatus } from './depth.ts';
import type { AppError, ErrorCode, Failure } from './errors.ts';
import type { ReplyLanguage } from './language.ts';
import type { MemoryAnswer, MemoryCall } from './memory.ts';
import type { Message, ModelChunk, ModelRequest, Usage } from './message.ts';
import type { OutputSchema } from './output-schema.ts';
import type { PolicyNote } from './policy.ts';
import type { ApprovalRequest, AskAnswer, AskCall } from './review.ts';

export type RunLimits = {
  max_iterations: number;
  /** Bytes (UTF-8) of one tool result that reach the model; the whole is kept in a file. */
  result_limit: number;
  /** Seconds a tool command may take when it names no limit, and at most. */
  tool_timeout_s: number;
  tool_timeout_max_s: number;
  /** Seconds for the whole run; 0 = none. */
  timeout_s: number;
  /**
   * Older turns are summarised when the conversation has about so many tokens; null: never. `by_model`: a model writes
   * the summary.
   */
  compact: { at_tokens: number; by_model: boolean } | null;
  /** Hosts, host:port, addresses and CIDR blocks that fetch may reach although they are not public. */
  fetch_allow: readonly string[];
};

/** Model steps that a run began before it was resumed, and how many answers of them are on its thread. */
export type Begun = { iterations: number; answers: number };
/** Of its context a conversation fills at most three quarters: the rest is for the answer and for wrong estimates. */
const SHARE = 0.75;
export const compactAt = (
  context: { tokens: number; by_model: boolean } | null,
): RunLimits['compact'] =>
  context && { at_tokens: Math.floor(context.tokens * SHARE), by_model: context.by_model };

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
  /** What the user writes, and the final text is to be written in; null: nobody can tell. */
  language: ReplyLanguage | null;
  /** The shape that the final text must have; null: any. */
  output_schema: OutputSchema | null;
  limits: RunLimits;
  /** First step number to write: 0 for a new run, more for a resumed one. */
  first_step: number;
  /** Where the run stands in its budget. */
  begun: Begun;
};

/** Why a run ended. Only `goal` is a success. */
export type EndReason =
  | 'goal'
  /** There is an answer, and it names what is missing in it. */
  | 'partial'
  | 'iteration_cap'
  /** A limit on what may be spent. */
  | 'budget'
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
  | {
      op: 'start';
      call_id: string;
      subagent_type: string;
      description: string;
      output_schema?: Record<string, unknown>;
    }
  | { op: 'check'; task_id: string; wait_ms: number }
  | { op: 'update'; call_id: string; task_id: string; message: string }
  | { op: 'cancel'; task_id: string }
  | { op: 'list'; status: string | null }
  /** Waits (at most `wait_ms`) for outcomes of this run's open tasks that it has not been given yet. */
  | { op: 'join'; wait_ms: number }
  /** Whether a text fits the output schema of this run's task. */
  | { op: 'check_result'; text: string };

export type TaskBrief = {
  task_id: string;
  subagent_type: string;
  status: string;
  waiting: string | null;
  description: string;
  result: string | null;
  /** What the result claims without a receipt for it. */
  unverified: string[];
  /** Whether the result fits the output schema; null: there is none, or no result yet. */
  schema_valid: boolean | null;
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
  | { ok: true; op: 'check_result'; problems: string[] }
  /** `approval`: it would be done if a person said yes; asked for, the same call may be made again. */
  | { ok: false; code: ErrorCode; message: string; approval?: ApprovalRequest };

/** A refusal as the agent gets it. */
export const refusalOf = ({ code, message, data }: AppError): TaskAnswer => ({
  ...{ ok: false, code, message },
  ...(data.approval ? { approval: data.approval as ApprovalRequest } : {}),
});

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
