// Reviews: what waits for a person, in one inbox for the whole tree. Each is decided at most once.
import type { Speaker } from './brain.ts';
import type { ErrorCode } from './errors.ts';
import type { Page, PageAsk } from './page.ts';
import type { Proposal } from './proposal.ts';

/**
 * `question`: an agent asks something. `approval`: yes or no to something that an agent or the runtime wants to do.
 * `memory`: proposals of what to remember, each with a decision of its own.
 */
export const REVIEW_KINDS = ['question', 'approval', 'memory'] as const;
export type ReviewKind = (typeof REVIEW_KINDS)[number];

/** Nothing follows on any but `pending`. `expired`: nobody decided in time. `withdrawn`: nobody needs it any more. */
export const REVIEW_STATUSES = ['pending', 'decided', 'expired', 'withdrawn'] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

export type QuestionRequest = { question: string; options: string[] };
/** `option`: number of the option that was taken, from 1; null: the answer is the person's own text. */
export type QuestionDecision = { answer: string; option: number | null };

/** `subject`: what a yes for the session covers, e.g. `shell: it formats a disk`. */
export type ApprovalRequest = { action: string; detail: string; subject: string };
/** `session`: also every later approval of the same subject in this query. */
export const APPROVALS = ['once', 'session', 'deny'] as const;
export type ApprovalDecision = { decision: (typeof APPROVALS)[number]; reason: string | null };

/** Each item is named by its path. */
export type MemoryRequest = { items: Proposal[] };
/** `edit`: approved with changes. Layer, rationale and note are those that are stored. */
export type MemoryDecided = Pick<Proposal, 'path' | 'layer' | 'rationale' | 'note'> & {
  decision: 'approve' | 'edit' | 'reject';
  /** Why not. */
  reason: string | null;
};
/** One for each item, in their order. */
export type MemoryDecision = { items: MemoryDecided[] };

/** What is asked and what was decided, by kind. */
export type Reviewed = {
  question: { request: QuestionRequest; decision: QuestionDecision };
  approval: { request: ApprovalRequest; decision: ApprovalDecision };
  memory: { request: MemoryRequest; decision: MemoryDecision };
};

/** One row of reviews. */
export type ReviewOf<K extends ReviewKind> = {
  review_id: string;
  kind: K;
  query_id: string;
  /** Both null: the main agent, or the runtime for the whole query. */
  task_id: string | null;
  agent_id: string | null;
  role: string;
  /** From the top of the tree to whoever asks: ["main agent", "architect agent #2"]. */
  path: string[];
  /** What it is at work on, in a few lines. */
  context: string;
  request: Reviewed[K]['request'];
  decision: Reviewed[K]['decision'] | null;
  status: ReviewStatus;
  /** Somebody waits for the decision. Else a late answer reaches the agent as a message. */
  blocking: boolean;
  /** The tool call that asks: a repetition finds this review. Null when the runtime asks. */
  run_id: string | null;
  call_id: string | null;
  created_at: string;
  expires_at: string;
  /** When it left `pending`, and by whom: the name of an API key, or what has ended it. */
  decided_at: string | null;
  decided_by: string | null;
};
export type Review = { [K in ReviewKind]: ReviewOf<K> }[ReviewKind];

export const QUESTION_LIMITS = { question: 4_000, options: 10, option: 300, answer: 16_000 };

export type ReviewReads = {
  get(review_id: string): Promise<Review | null>;
  byCall(run_id: string, call_id: string): Promise<Review | null>;
  list(
    ask: PageAsk & { status?: ReviewStatus; kind?: ReviewKind; query_id?: string },
  ): Promise<Page<Review>>;
  /** Of one query, or of all; oldest first. */
  pending(query_id?: string): Promise<Review[]>;
  /** The approval of this subject that was given for the rest of the query, or null. */
  granted(query_id: string, subject: string): Promise<ReviewOf<'approval'> | null>;
};
export type ReviewWrites = ReviewReads & {
  insert(review: Review): Promise<void>;
  /** Closes a pending one; false when it is closed already. */
  close(
    review_id: string,
    patch: Pick<Review, 'status' | 'decision' | 'decided_at' | 'decided_by'>,
  ): Promise<boolean>;
};

/** What a run asks a person. `wait_ms`: one answer comes within it; an agent that is told `pending` asks again. */
export type AskCall = { call_id: string; wait_ms: number } & (
  | ({ kind: 'question' } & QuestionRequest)
  | ({ kind: 'approval' } & ApprovalRequest)
);
export type AskAnswer =
  | { ok: true; state: 'pending' }
  /** `nobody`: no person can be asked. `text`: for the agent. `approved`: of an approval; a question never is. */
  | { ok: true; state: 'closed' | 'nobody'; text: string; approved: boolean }
  | { ok: false; code: ErrorCode; message: string };

/** What the rooms of agents ask of the inbox. */
export type AgentReviews = {
  /** Puts it into the inbox, or finds it there; durable. Waits at most `wait_ms` for the decision. */
  ask(by: Speaker, call: AskCall, signal: AbortSignal): Promise<AskAnswer>;
  /** Resolves when this agent (null: the query's main agent) waits for nobody any more; null: it does not wait. */
  untilAnswered(query_id: string, agent_id: string | null): Promise<void> | null;
  /** A blocking review of this query is pending. */
  holds(query_id: string): boolean;
};
