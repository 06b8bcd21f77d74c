// What memory asks of the store, and of a model that turns text into vectors. Shapes and contracts only.
import type { BrainNote, NewNote } from './brain.ts';
import type { MemoryFilter, MemoryRecord, MemoryStatus } from './memory.ts';
import type { Page, PageAsk } from './page.ts';

/** A record with its place in a ranking: higher is better; only the order means something. */
export type Ranked = { record: MemoryRecord; score: number };
/** Idempotency of what an agent stores: the same call again finds its record. */
export type CallKey = { run_id: string; call_id: string };

export type MemoryReads = {
  get(record_id: string): Promise<MemoryRecord | null>;
  byCall(call: CallKey): Promise<MemoryRecord | null>;
  /** The active record of the same layer, scope and text, or null. */
  same(of: Pick<MemoryRecord, 'layer' | 'scope_key' | 'content'>): Promise<MemoryRecord | null>;
  list(
    ask: PageAsk & Partial<MemoryFilter> & { status?: MemoryStatus },
  ): Promise<Page<MemoryRecord>>;
  /** The record, what it corrects and what corrects it; oldest first, with the reason of each correction. */
  history(record_id: string): Promise<(MemoryRecord & { reason: string | null })[]>;
  /** Active records that hold at least one of the terms, best first, by BM25. */
  match(terms: readonly string[], filter: MemoryFilter, limit: number): Promise<Ranked[]>;
  /** How many active records there are, and how many of them hold each term; absent: none. */
  frequencies(terms: readonly string[]): Promise<{ total: number; of: Map<string, number> }>;
  /** Vectors of active records that this model made. */
  vectors(
    model: string,
    filter: MemoryFilter,
  ): Promise<{ record: MemoryRecord; vector: number[] }[]>;
  /** Active records without a vector of this model, oldest first. */
  withoutVector(model: string, limit: number): Promise<MemoryRecord[]>;
};

export type MemoryWrites = MemoryReads & {
  /** `terms`: all under which it is found. */
  insert(
    record: MemoryRecord,
    more: { terms: ReadonlySet<string>; call: CallKey | null; reason: string | null },
  ): Promise<void>;
  /** Its text and its vector are found no more. False: it was superseded already. */
  supersede(record_id: string): Promise<boolean>;
  /** Without effect on a record that is not active. */
  putVector(record_id: string, model: string, vector: readonly number[]): Promise<void>;
};

export type BrainReads = {
  /** Notes of a query, oldest first; those after `after` when given. */
  ofQuery(ask: {
    query_id: string;
    branch?: string;
    after?: number;
    limit: number;
  }): Promise<BrainNote[]>;
  /** Of each author in each branch: `notes` that it recorded itself, and all of its rows. */
  counts(
    query_id: string,
  ): Promise<{ author: string; branch: string; notes: number; all: number }[]>;
  /** How many there are in the query but for those of this run. Cheap: asked for each note. */
  others(query_id: string, run_id: string): Promise<number>;
  /** Whether this run has recorded a note itself. */
  hasNoted(run_id: string): Promise<boolean>;
};
export type BrainWrites = BrainReads & {
  /** A repetition of a call changes nothing (`fresh` false) and answers with the first note's number. */
  insert(note: NewNote): Promise<{ note_id: number; fresh: boolean }>;
};

/**
 * One row of remember_rounds: what the runtime asks of the role `remember` for one turn of a main agent.
 * `asked`: nothing has been made of its answer yet. `proposed`: a review holds the proposals. `nothing`: there are none.
 */
export type RememberRound = {
  /** The turn: there is one round for each at most. */
  run_id: string;
  query_id: string;
  task_id: string;
  /** The answer of the query waits for the decision, or it does not. */
  review: 'wait' | 'defer';
  state: 'asked' | 'proposed' | 'nothing';
  review_id: string | null;
  /** Why there is nothing to decide. */
  reason: string | null;
  created_at: string;
};
/** One row of rejected_proposals. It outlives its query. `essence`: the note as it is compared; may be empty. */
export type RejectedProposal = {
  project: string;
  path: string;
  essence: string;
  reason: string | null;
  rejected_at: string;
};
/** Of each project; of older ones a person may be asked again. */
export const REJECTIONS_KEPT = 500;

export type RememberReads = {
  round(run_id: string): Promise<RememberRound | null>;
  /** Oldest first. */
  ofQuery(query_id: string): Promise<RememberRound[]>;
  /** Those that are `asked`, oldest first. */
  open(): Promise<RememberRound[]>;
  /** Latest first. */
  rejected(project: string): Promise<RejectedProposal[]>;
};
export type RememberWrites = RememberReads & {
  /** Fails when the turn has one. */
  insertRound(round: RememberRound): Promise<void>;
  /** Takes an `asked` round further; false when that has been done. */
  settle(
    run_id: string,
    to: Pick<RememberRound, 'review_id' | 'reason'> & { state: 'proposed' | 'nothing' },
  ): Promise<boolean>;
  reject(proposal: RejectedProposal): Promise<void>;
};

/** The part of the store's reads that is about memory, and the same within a unit of work. */
export type MemoryNouns = { memory: MemoryReads; brain: BrainReads; remember: RememberReads };
export type MemoryWriteNouns = {
  memory: MemoryWrites;
  brain: BrainWrites;
  remember: RememberWrites;
};

/** A model that turns texts into vectors of equal length. Off unless configured. */
export type Embedder = {
  /** `provider:model`: vectors of different models are never compared. */
  model: string;
  /** One vector a text, in order. Rejects when the provider fails or the signal fires. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<number[][]>;
};
