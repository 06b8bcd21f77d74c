// A query: one request of a user to the main agent, with its own workdir; the root of a tree.
import type { Failure } from './errors.ts';
import type { Usage } from './message.ts';

/**
 * `waiting`: a person must decide. `degraded`: an answer with something missing, which it names.
 * An ended query runs again only when a follow-up message starts a new turn.
 */
export const QUERY_STATUSES = [
  'queued',
  'running',
  'waiting',
  'completed',
  'degraded',
  'failed',
  'cancelled',
] as const;
export type QueryStatus = (typeof QUERY_STATUSES)[number];

export const isOpenQuery = (s: QueryStatus): boolean =>
  s === 'queued' || s === 'running' || s === 'waiting';

/** `agent`: the main agent works on it. `direct`: holds tasks that were started straight through the API. */
export type QueryKind = 'agent' | 'direct';

/** Whether a person is asked. `defer`: nobody is waited for. `off`: nobody is asked. */
export const REVIEW_MODES = ['wait', 'defer', 'off'] as const;

/** Whether the main agent splits a request into branches by itself. */
export const BRANCH_MODES = ['never', 'auto', 'always'] as const;
export type BranchMode = (typeof BRANCH_MODES)[number];

export type QueryOptions = {
  model: string | null;
  background: boolean;
  branch: BranchMode;
  review: (typeof REVIEW_MODES)[number];
  /** Whose memory it has; absent in rows of before. */
  project?: string;
  /** Most that the whole tree may spend, below the configured limits; absent: those alone. */
  max_tokens?: number;
  max_usd?: number;
};

export type Query = {
  query_id: string;
  kind: QueryKind;
  input: string;
  status: QueryStatus;
  answer: string | null;
  branched: boolean;
  workdir: string;
  options: QueryOptions;
  usage: Usage;
  /** Model steps that all agents of the tree have begun. */
  iterations: number;
  error: Failure | null;
  created_at: string;
  updated_at: string;
};

/** One row of loop_runs: one turn of the main agent. */
export type LoopRun = {
  run_id: string;
  thread_id: string;
  status: 'running' | 'completed' | 'degraded' | 'stopped' | 'failed';
  current_step: string;
  retries: number;
  failure_reason: string | null;
  next_action: string | null;
  model: string | null;
  fallback_model: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};
