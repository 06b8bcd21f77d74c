// What the HTTP surface calls: the shape of the services behind it, and of nothing else.
// Handlers translate; every decision is taken behind these functions.
import type { Readable } from 'node:stream';
import type { EventFilter, TroupeEvent } from '../domain/event.ts';
import type { EventReads, Page, PageAsk, ServerInfo, Supervisor } from '../domain/ports.ts';
import type { Query, QueryKind, QueryOptions, QueryStatus } from '../domain/query.ts';
import type { Role, RoleSources } from '../domain/role.ts';
import type { Subagent, SubagentState } from '../domain/subagent.ts';
import type { Task, TaskStatus } from '../domain/task.ts';

export type Delivery = 'delivered' | 'missed' | 'queued';
export type MessageMode = 'steer' | 'interrupt' | 'enqueue';

export type TaskService = {
  /** Resolves when the task is durable; never waits for a role server. */
  start(input: { subagent_type: string; description: string; query_id?: string }): Promise<Task>;
  /** Rejects with not_found, the full id in the text. */
  get(task_id: string): Promise<{ task: Task; attempts: Subagent[] }>;
  /** Resolves when the task has ended, after `ms`, or when the signal fires; never rejects for those. */
  wait(task_id: string, ms: number, signal: AbortSignal): Promise<void>;
  list(
    ask: PageAsk & { status?: TaskStatus; role?: string; query_id?: string },
  ): Promise<Page<Task>>;
  message(
    task_id: string,
    text: string,
    mode: MessageMode,
  ): Promise<{ task: Task; delivery: Delivery }>;
  /** Rejects with conflict and the true status when the task has already ended. */
  cancel(task_id: string, reason: string): Promise<Task>;
  retry(task_id: string): Promise<Task>;
};

/** A query or a task in a tree: what it is, how it is doing, and everything below it. */
export type TreeNode = {
  /** query_id of the root, task_id of every other node. */
  id: string;
  kind: 'query' | 'task';
  children: TreeNode[];
  [more: string]: unknown;
};
export type FileEntry = { path: string; size: number; modified_at: string };

export type NewQuery = { input: string; workdir?: string; workflow?: string };
export type QueryService = {
  create(input: NewQuery, options: Partial<QueryOptions>): Promise<Query>;
  get(query_id: string): Promise<Query>;
  wait(query_id: string, ms: number, signal: AbortSignal): Promise<void>;
  list(ask: PageAsk & { status?: QueryStatus; kind?: QueryKind }): Promise<Page<Query>>;
  message(query_id: string, text: string): Promise<Query>;
  cancel(query_id: string, reason: string): Promise<Query>;
  tree(query_id: string): Promise<TreeNode>;
  files(query_id: string): Promise<FileEntry[]>;
  /** `path` as the caller wrote it, decoded; the service keeps it inside the workdir. `size` in bytes. */
  openFile(
    query_id: string,
    path: string,
  ): Promise<{ stream: Readable; size: number; name: string }>;
  zip(query_id: string): Promise<Readable>;
  result(query_id: string): Promise<Record<string, unknown>>;
};

/** `json`: the event serialized once for all readers. `prev_seq`: the one before it in this stream. */
export type SharedEvent = { event: TroupeEvent; json: string; prev_seq: number };
export type EventHub = {
  /**
   * Replays what matches after `after`, then goes on live. `push` answers false when the reader is full:
   * it is not called again and `resync` says how far the reader came.
   */
  subscribe(reader: {
    after: number;
    filter: EventFilter;
    push(shared: SharedEvent): boolean;
    resync(last_seq: number): void;
  }): { close(): void };
};

export type Check = { ok: boolean; critical: boolean; detail: string };
export type Readiness = { ok: boolean; checks: Record<string, Check> };

export type Services = {
  tasks: TaskService;
  queries: QueryService;
  subagents: {
    get(agent_id: string): Promise<Subagent>;
    list(
      ask: PageAsk & { state?: SubagentState; role?: string; query_id?: string },
    ): Promise<Page<Subagent>>;
  };
  supervisor: Pick<Supervisor, 'list' | 'start' | 'stop' | 'restart' | 'log'>;
  roles: { list(): Role[]; get(name: string): { role: Role; sources: RoleSources } | null };
  hub: EventHub;
  events: EventReads;
  status(): Promise<object>;
  limits(): object;
  ready(): Readiness;
};
export type { ServerInfo };
