// What the HTTP surface calls: the shape of the services behind it, and of nothing else.
// Handlers translate; every decision is taken behind these functions.
import type { Readable } from 'node:stream';
import type { BrainNote } from '../domain/brain.ts';
import type { Layer, MemoryFilter, MemoryRecord, MemoryStatus } from '../domain/memory.ts';
import type { Usage } from '../domain/message.ts';
import type { EventReads, Page, PageAsk, Supervisor, Tx } from '../domain/ports.ts';
import type { RolePrompt } from '../domain/prompt-override.ts';
import type { Query, QueryKind, QueryOptions, QueryStatus } from '../domain/query.ts';
import type { BackupReport, GcAsk, GcReport } from '../domain/retention.ts';
import type { Review, ReviewKind, ReviewStatus } from '../domain/review.ts';
import type { Role, RoleSources } from '../domain/role.ts';
import type { Subagent, SubagentState } from '../domain/subagent.ts';
import type { Task, TaskStatus } from '../domain/task.ts';
import type { Hub } from '../events/hub.ts';
import type { FileEntry } from '../queries/files.ts';
import type { TreeNode } from '../queries/tree.ts';
import type { Forensics } from '../tasks/forensics.ts';

export type { FileEntry, TreeNode };

type Delivery = 'delivered' | 'missed' | 'queued';
type MessageMode = 'steer' | 'interrupt' | 'enqueue';

export type TaskDetail = { task: Task; attempts: Subagent[] };
/** Writes more rows in the unit of work in which something is accepted. */
export type Also<T> = (t: Tx, accepted: T) => Promise<void>;

export type TaskService = {
  /** Resolves when the task is durable; never waits for a role server. */
  start(
    input: {
      subagent_type: string;
      description: string;
      output_schema?: unknown;
      review?: QueryOptions['review'];
    },
    also?: Also<Task>,
  ): Promise<Task>;
  /** Rejects with not_found, the full id in the text. */
  get(task_id: string): Promise<TaskDetail>;
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
  cancel(task_id: string, reason: string): Promise<TaskDetail>;
  retry(task_id: string): Promise<TaskDetail>;
  forensics(task_id: string): Promise<Forensics>;
  /** Rejects with conflict while the task is at work. */
  discard(task_id: string): Promise<TaskDetail>;
};

export type NewQuery = { input: string; workdir?: string };
export type QueryService = {
  create(input: NewQuery, options: Partial<QueryOptions>, also?: Also<Query>): Promise<Query>;
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

export type EventHub = Pick<Hub, 'subscribe'>;

export type Check = { ok: boolean; critical: boolean; detail: string };
export type Readiness = { ok: boolean; checks: Record<string, Check> };

/** With what no row holds: whether it holds a slot at this moment. */
export type SubagentNow = Subagent & { holds_slot: boolean };

export type MemoryService = {
  list(
    ask: PageAsk & { layer?: Layer; status?: MemoryStatus; project?: string },
  ): Promise<Page<MemoryRecord>>;
  /** Active records, best first; of every project when it is null. */
  search(query: string, filter: MemoryFilter, n: number): Promise<MemoryRecord[]>;
  store(
    given: { content: string; layer: string; tags: readonly string[]; project: string },
    also?: Also<MemoryRecord>,
  ): Promise<MemoryRecord>;
  /** Rejects with not_found, or with conflict when the record has been corrected already. */
  correct(
    given: { record_id: string; replacement: string; reason: string | null },
    also?: Also<MemoryRecord>,
  ): Promise<MemoryRecord>;
  /** Oldest first. */
  history(record_id: string): Promise<(MemoryRecord & { reason: string | null })[]>;
};
export type ReviewService = {
  list(
    ask: PageAsk & { status?: ReviewStatus; kind?: ReviewKind; query_id?: string },
  ): Promise<Page<Review>>;
  get(review_id: string): Promise<Review>;
  /**
   * Rejects with not_found, with decision_invalid and what is allowed, or with conflict and the earlier decision.
   * `by`: name of the key.
   */
  decide(
    review_id: string,
    given: Readonly<Record<string, unknown>>,
    by: string,
    also?: Also<Review>,
  ): Promise<Review>;
  /** Ids of what is waited for, oldest first. */
  waitingFor(of: { query_id: string; task_id?: string }): string[];
  /** What may be decided, in words. */
  allowed(review: Review): string;
};
export type BrainService = {
  /** Notes of a query, oldest first. */
  page(query_id: string, ask: PageAsk & { branch?: string }): Promise<Page<BrainNote>>;
};

/** What keeps the state folder small, and copies of it. */
export type Upkeep = {
  /** AppError conflict while another one is at work. */
  gc(ask: GcAsk): Promise<GcReport>;
  backups: {
    /** Answers at its end, or as it stands after `wait_ms`. */
    make(path: string, wait_ms: number): Promise<BackupReport>;
    last(): BackupReport | null;
  };
};

/** One request to a provider of language models, when it is over. */
export type ModelRequestSeen = {
  provider: string;
  /** `provider:model` */
  model: string;
  status: string;
  seconds: number;
  /** null: it brought no answer. */
  usage: Usage | null;
};

export type SettingNow = { key: string; value: unknown; source: string; doc: string };

export type Services = {
  tasks: TaskService;
  queries: QueryService;
  subagents: {
    get(agent_id: string): Promise<SubagentNow>;
    list(
      ask: PageAsk & { state?: SubagentState; role?: string; query_id?: string },
    ): Promise<Page<SubagentNow>>;
  };
  supervisor: Pick<Supervisor, 'list' | 'start' | 'stop' | 'restart' | 'log'>;
  /** `all`: hidden ones too. */
  roles: {
    list(all?: boolean): Role[];
    get(name: string): { role: Role; sources: RoleSources } | null;
  };
  /** Throw AppError not_found for an unknown role. */
  prompts: {
    get(name: string): RolePrompt;
    set(name: string, prompt: string): Promise<RolePrompt>;
    reset(name: string): Promise<RolePrompt>;
  };
  hub: EventHub;
  events: EventReads;
  memory: MemoryService;
  reviews: ReviewService;
  brain: BrainService;
  upkeep: Upkeep;
  models: { onTry(listener: (request: ModelRequestSeen) => void): void };
  status(): Promise<object>;
  limits(): Promise<object>;
  /** Every setting in the order of their table; secrets are masked. */
  settings(): SettingNow[];
  ready(): Readiness;
};
