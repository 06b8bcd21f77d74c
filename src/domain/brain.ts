// The shared brain: notes that the agents of one query leave for each other, at once and in order.
// They are read on demand: nothing here ever becomes a message of a user.
import type { ErrorCode } from './errors.ts';
import type { MemoryAnswer, MemoryCall } from './memory.ts';

/** Branch of the main agent's own notes; any other branch is the task_id of the main agent's child above the author. */
export const MAIN_BRANCH = 'main';

/** `note`: recorded by an agent. `outcome`: written by the runtime for a child that ended and had recorded none. */
export type NoteKind = 'note' | 'outcome';

/** One row of brain_notes. Never changed. */
export type BrainNote = {
  /** Rises in the order in which notes became durable. */
  note_id: number;
  query_id: string;
  kind: NoteKind;
  /** agent_id, or `main-agent`. */
  author: string;
  role: string;
  task_id: string | null;
  branch: string;
  note: string;
  at: string;
};
export type NewNote = Omit<BrainNote, 'note_id' | 'at'> & { run_id: string; call_id: string };

export const NOTE_LIMIT = 4_000;

/** What the brain tools ask for. `call_id` is the tool_call_id: recording is idempotent by it. */
export type BrainCall =
  | { op: 'record'; call_id: string; note: string }
  | { op: 'query'; query: string | null; branch: string | null };

/** `others`: notes of other agents in this query. */
export type BrainAnswer =
  | { ok: true; op: 'record'; note_id: number; others: number }
  /** Oldest first. `total`: all notes of the query, `branches`: all that have notes. */
  | { ok: true; op: 'query'; notes: BrainNote[]; total: number; branches: string[] }
  | { ok: false; code: ErrorCode; message: string };

/** The agent of a query in whose name something is remembered. */
export type Speaker = {
  query_id: string;
  run_id: string;
  /** Both null: the main agent. */
  task_id: string | null;
  agent_id: string | null;
  role: string;
};

/** A child that has ended with an outcome. */
export type Delegation = {
  query_id: string;
  task_id: string;
  agent_id: string;
  /** Identifies the outcome: a follow-up or a retry is another run. */
  run_id: string;
  role: string;
  goal: string;
  status: 'completed' | 'failed' | 'cancelled';
  result: string;
};

/** What the rooms of agents ask of memory. Refusals are answers; a rejected promise means storage. */
export type AgentMemory = {
  memory(by: Speaker, call: MemoryCall): Promise<MemoryAnswer>;
  brain(by: Speaker, call: BrainCall): Promise<BrainAnswer>;
  /**
   * Text for the memory block of a run that starts on this message; empty when nothing is relevant. The message is
   * read only when there is something to look for. Never rejects.
   */
  recall(query_id: string, message: () => Promise<string>): Promise<string>;
  /** Called for each outcome of a child, before anybody is told of it. A repetition changes nothing. Never rejects. */
  onDelegation(ended: Delegation): Promise<void>;
  /** The answer, and under it what was noted since `since` (RFC 3339) and does not appear in it. Never rejects. */
  withUnusedNotes(query_id: string, since: string, answer: string): Promise<string>;
};
