// Threads and runs as the Agent Protocol knows them, and the items of its store: what the tasks and queries of this
// server do not hold. A thread's id is that of the task, or of the query, which its first run starts. Shapes only.

export const RUN_STATUSES = [
  'pending',
  'running',
  'success',
  'error',
  'timeout',
  'interrupted',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export type EndStatus = Exclude<RunStatus, 'pending' | 'running'>;
export const THREAD_STATUSES = ['idle', 'busy', 'interrupted', 'error'] as const;
export type ThreadStatus = (typeof THREAD_STATUSES)[number];

/** What a new run does to those that are open on its thread. */
export const STRATEGIES = ['reject', 'enqueue', 'interrupt', 'rollback'] as const;
export type Strategy = (typeof STRATEGIES)[number];

type Json = Record<string, unknown>;

export type ProtocolThread = {
  thread_id: string;
  /** Whose task or query it is; null until its first run. */
  assistant: string | null;
  metadata: Json;
  /** Values beside the messages. */
  values: Json;
  /** Made for one run and removed with its end. */
  temporary: boolean;
  created_at: string;
  updated_at: string;
};

export type ProtocolRun = {
  run_id: string;
  thread_id: string;
  assistant: string;
  /** Run of the task that carries it out: its own, or, when it answers a question, the one that had asked. */
  work_id: string;
  /** `waiting`: not handed on yet. `started`: its task or query says how it stands. `ended`: `status` does. */
  state: 'waiting' | 'started' | 'ended';
  status: EndStatus | null;
  /** Why it was cancelled. */
  reason: string | null;
  error: string | null;
  strategy: Strategy;
  metadata: Json;
  /** The request as it came. */
  request: Json;
  /** Values of the thread from before it started; null until then. */
  values_before: Json | null;
  /** RFC 3339; it does not start before. */
  not_before: string | null;
  /** Sequence of the last event, and of the last checkpoint of its thread, from before it started. */
  from_seq: number;
  from_checkpoint: number;
  /** The last of both from before it ended; null until then. */
  to_seq: number | null;
  to_checkpoint: number | null;
  created_at: string;
  updated_at: string;
};

/** One row a key; an item is gone at `expires_at`. */
export type StoreItem = {
  namespace: string[];
  key: string;
  value: Json;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
};

export type ProtocolReads = {
  thread(thread_id: string): Promise<ProtocolThread | null>;
  /** Newest first. */
  threads(limit: number, offset: number): Promise<ProtocolThread[]>;
  /** Ids of threads that were made for one run. */
  temporary(): Promise<string[]>;
  run(run_id: string): Promise<ProtocolRun | null>;
  /** Oldest first. */
  runsOf(thread_id: string): Promise<ProtocolRun[]>;
  /** Newest first. */
  runs(limit: number, offset: number): Promise<ProtocolRun[]>;
  /** Not ended, oldest first. */
  openRuns(): Promise<ProtocolRun[]>;
  item(namespace: readonly string[], key: string): Promise<StoreItem | null>;
  /** Under a namespace, last written first. */
  items(prefix: readonly string[], limit: number, offset: number): Promise<StoreItem[]>;
  namespaces(prefix: readonly string[]): Promise<string[][]>;
};
export type ProtocolWrites = ProtocolReads & {
  insertThread(thread: ProtocolThread): Promise<void>;
  patchThread(thread_id: string, patch: Partial<ProtocolThread>): Promise<void>;
  /** With its runs, and the checkpoints that belong to no task or query. */
  removeThread(thread_id: string): Promise<void>;
  insertRun(run: ProtocolRun): Promise<void>;
  patchRun(run_id: string, patch: Partial<ProtocolRun>): Promise<void>;
  removeRun(run_id: string): Promise<void>;
  /** Keeps the time at which the item was first written. */
  putItem(item: StoreItem): Promise<void>;
  removeItem(namespace: readonly string[], key: string): Promise<boolean>;
  /** Removes what has expired. */
  pruneItems(now: string): Promise<void>;
};
