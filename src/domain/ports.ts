// The ports: what the rooms ask of the outside world and of each other. Shapes and contracts only.
import type { EventFilter, NewEvent, TroupeEvent } from './event.ts';
import type { MemoryNouns, MemoryWriteNouns } from './memory-ports.ts';
import type { Message } from './message.ts';
import type { Page, PageAsk } from './page.ts';
import type { PromptNouns, PromptReads } from './prompt-override.ts';
import type { LoopRun, Query } from './query.ts';
import type { RemovedRows } from './retention.ts';
import type { ReviewReads, ReviewWrites } from './review.ts';
import type { Envelope, ToolReceipt } from './run.ts';
import type { ServerExit, ServerInfo, ServerState } from './server.ts';
import type { SpendReads, SpendWrites } from './spend-ports.ts';
import type { Subagent, SubagentState } from './subagent.ts';
import type { Run, Task, TaskStatus } from './task.ts';

/** `now`: wall clock for display. `mono`: milliseconds that never jump; every deadline uses it. */
export type Clock = { now(): Date; mono(): number };
export const systemClock: Clock = { now: () => new Date(), mono: () => performance.now() };

/** Structured log: fields first, then a short sentence. */
export type Log = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export type { ModelCaller, ModelGateway, ModelRoute } from './model-ports.ts';
export type { Page, PageAsk };

// ---------------------------------------------------------------- store

export type QueryReads = {
  get(query_id: string): Promise<Query | null>;
  list(ask: PageAsk & { status?: Query['status']; kind?: Query['kind'] }): Promise<Page<Query>>;
  /** Not ended, oldest first. */
  open(): Promise<Query[]>;
};
export type TaskReads = {
  get(task_id: string): Promise<Task | null>;
  list(
    ask: PageAsk & { status?: TaskStatus; role?: string; query_id?: string },
  ): Promise<Page<Task>>;
  /** All tasks of a query, oldest first. */
  ofQuery(query_id: string): Promise<Task[]>;
  /** Direct children of a task, or of the query's main agent when null; oldest first. */
  children(query_id: string, parent_task_id: string | null): Promise<Task[]>;
  open(): Promise<Task[]>;
  /** Task that this (run, tool_call_id) has started or updated before. */
  byCall(run_id: string, call_id: string): Promise<Task | null>;
};
export type SubagentReads = {
  get(agent_id: string): Promise<Subagent | null>;
  list(
    ask: PageAsk & { state?: SubagentState; role?: string; query_id?: string },
  ): Promise<Page<Subagent>>;
  ofQuery(query_id: string): Promise<Subagent[]>;
  /** Attempts at one task, oldest first. */
  ofTask(task_id: string): Promise<Subagent[]>;
};
export type EventReads = {
  /** At most `limit` events with seq > after that match, in order. */
  after(after: number, filter: EventFilter, limit: number): Promise<TroupeEvent[]>;
  /** The highest committed sequence; 0 when there is none. */
  last(): Promise<number>;
  /**
   * The highest sequence that was ever removed; 0: none was. Above it the log is whole; below it, only the events of
   * one query, task or subagent are there all or not at all.
   */
  removed(): Promise<number>;
};
/** A tool call as it is stored: its start, and its receipt once it has ended. */
export type CallRecord = {
  id: string;
  name: string;
  arguments: string;
  started_at: string;
  ended_at: string | null;
  ok: boolean;
  summary: string | null;
  exit_code: number | null;
};
export type CheckpointReads = {
  /** Visible messages of a thread in order, and the next free step. */
  thread(thread_id: string): Promise<{ messages: Message[]; next_step: number }>;
  /** All calls of a run, in the order of their start. */
  calls(run_id: string): Promise<CallRecord[]>;
  /** How many answers of the model a run has stored: where a resumed run stands in its budget. */
  answers(run_id: string): Promise<number>;
  /** Calls that started and have no stored result, for this run. */
  openCalls(run_id: string): Promise<{ id: string; name: string; started_at: string }[]>;
};
export type RunReads = {
  get(run_id: string): Promise<Run | null>;
  ofTask(task_id: string): Promise<Run[]>;
};
export type LoopReads = { ofQuery(query_id: string): Promise<LoopRun[]> };

/** Reads see only what is durable. */
export type Reads = MemoryNouns & {
  queries: QueryReads;
  tasks: TaskReads;
  subagents: SubagentReads;
  events: EventReads;
  checkpoints: CheckpointReads;
  runs: RunReads;
  loops: LoopReads;
  spend: SpendReads;
  reviews: ReviewReads;
  prompts: PromptReads;
};

export type IdempotencyRow = {
  api_key: string;
  route: string;
  key: string;
  body_hash: string;
  status: number;
  response: string;
  created_at: string;
};

/** Removes what has ended. Rows go with everything that hangs on them; no sequence is ever given again. */
export type Retention = {
  /**
   * Removes each of these queries that ended, whose tasks all ended, and of which nothing was touched since `before`
   * (RFC 3339). A unit stays short: `looked` ids were dealt with, at least one; come back for the others.
   */
  removeQueries(
    query_ids: readonly string[],
    before: string,
  ): Promise<{ looked: number; query_ids: string[]; rows: RemovedRows }>;
  /** Removes at most `limit` events of no query from before that time; fewer than that: no more are left. */
  removeLooseEvents(before: string, limit: number): Promise<number>;
};

/** One unit of work: all of it or nothing. Reads inside it see its own writes. */
export type Tx = MemoryWriteNouns & {
  /** One time for everything in the unit (RFC 3339). */
  at: string;
  queries: QueryReads & {
    insert(query: Query): Promise<void>;
    patch(query_id: string, patch: Partial<Query>): Promise<void>;
  };
  tasks: TaskReads & {
    insert(task: Task, call: { run_id: string; call_id: string } | null): Promise<void>;
    patch(task_id: string, patch: Partial<Task>): Promise<void>;
    /** Remembers that this call made this run, so that a repetition finds it. */
    noteCall(run_id: string, call_id: string, task_id: string): Promise<void>;
    appendOutput(task_id: string, text: string): Promise<void>;
  };
  subagents: SubagentReads & {
    insert(subagent: Subagent): Promise<void>;
    patch(agent_id: string, patch: Partial<Subagent>): Promise<void>;
    /** Next ordinal of a role within a query, from 1. */
    nextOrdinal(query_id: string, role: string): Promise<number>;
  };
  runs: RunReads & {
    insert(run: Run): Promise<void>;
    /** A waiting run gets the attempt that carries it out. */
    adopt(run_id: string, agent_id: string): Promise<void>;
  };
  events: EventReads & {
    /** Appends and returns the sequence. Published to readers after the commit. */
    append(event: NewEvent): Promise<number>;
  };
  checkpoints: CheckpointReads & {
    /** Idempotent by (run_id, step): a repetition changes nothing and answers false. */
    append(row: {
      thread_id: string;
      run_id: string;
      step: number;
      messages: Message[];
    }): Promise<boolean>;
    startCall(run_id: string, call: { id: string; name: string; arguments: string }): Promise<void>;
    endCall(run_id: string, receipt: ToolReceipt): Promise<void>;
  };
  prompts: PromptNouns;
  loops: LoopReads & { upsert(row: LoopRun): Promise<void> };
  spend: SpendWrites;
  reviews: ReviewWrites;
  idempotency: {
    get(api_key: string, route: string, key: string): Promise<IdempotencyRow | null>;
    put(row: IdempotencyRow): Promise<void>;
    prune(before: string): Promise<void>;
  };
  retention: Retention;
};

/**
 * `work` may await nothing but the functions of its Tx: units run one after the other.
 * A unit that throws leaves nothing behind and rejects with its own error.
 */
export type Store = {
  reads: Reads;
  /** Resolves when the unit is durable (fsync done). Units that come together share one commit. */
  tx<T>(work: (t: Tx) => Promise<T>): Promise<T>;
  /** Resolves when the unit has run; it is committed within 5 ms. For what nobody is told yet. */
  soon<T>(work: (t: Tx) => Promise<T>): Promise<T>;
  /** Called after each commit with its events in order. One listener: the event log. */
  onCommit(listener: (events: TroupeEvent[]) => void): void;
  close(): Promise<void>;
};

// ---------------------------------------------------------------- role servers

export type { ServerExit, ServerInfo, ServerState };

/** What main asks of a role server about its runs. Every call has a deadline. */
export type RoleClient = {
  start(envelope: Envelope): Promise<void>;
  /** Resolves when the model call and the tool's process group are gone; rejects at the deadline. */
  cancel(run_id: string, reason: string): Promise<void>;
  steer(run_id: string, text: string): Promise<'delivered' | 'missed'>;
};

export type RoleServer = {
  role: string;
  instance: number;
  /** Identifies this start of the process; public, unlike its token. */
  server_id: string;
  pid: number | null;
  port: number | null;
  endpoint: string;
  client: RoleClient;
};

/** A place in a role server for one run. Taken synchronously; released exactly once. */
export type Claim = {
  role: string;
  /** Rejects with a named AppError (start_timeout, start_exited, role_parked, …). Never hangs. */
  ready: Promise<RoleServer>;
  /** The role server, when it is ready at this moment; else null: await `ready`. */
  now(): RoleServer | null;
  /** The run waits for its children or a person: it needs no place, its process does not count. */
  lend(): void;
  /** Takes the place back; false when there is none now (ask again on the next change). */
  resume(): boolean;
  release(): void;
};

export type Supervisor = {
  /** A place for one run of the role, starting a server if needed; or why there is none now. */
  claim(role: string): Claim | { wait: 'slot' | 'role' };
  /** Called whenever a claim that had to wait may succeed now. */
  onChange(listener: () => void): void;
  /** Called when a role server has gone while runs were in it: its runs go on elsewhere or fail. */
  onGone(listener: (server: RoleServer, exit: ServerExit, own_fault: boolean) => void): void;
  list(): ServerInfo[];
  start(role: string): Promise<ServerInfo>;
  stop(role: string): Promise<ServerInfo[]>;
  restart(role: string): Promise<ServerInfo>;
  /** Kills one role server (its group) with a named reason: it did not do what it was told. */
  kill(server: RoleServer, reason: string): Promise<void>;
  /** Last lines of the role's log file, oldest first, secrets masked. */
  log(role: string, lines: number): Promise<string[]>;
  /** Stops everything: drain, TERM, KILL. Starts under way are aborted and reaped. */
  close(): Promise<void>;
};
