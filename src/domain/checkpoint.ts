// What each step added to a thread, and the tool calls of a run, as they are stored.
import type { Message } from './message.ts';

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
/** What one step, or the input of a run, added to a thread. */
export type Checkpoint = {
  seq: number;
  run_id: string;
  step: number;
  messages: Message[];
  created_at: string;
};
export type CheckpointReads = {
  /** Visible checkpoints above `after`, in order. */
  rows(thread_id: string, after: number): Promise<Checkpoint[]>;
  /** The highest sequence on a thread, hidden ones included; 0: it is empty. */
  last(thread_id: string): Promise<number>;
  /** Visible messages of a thread in order, and the next free step. */
  thread(thread_id: string): Promise<{ messages: Message[]; next_step: number }>;
  /** All calls of a run, in the order of their start. */
  calls(run_id: string): Promise<CallRecord[]>;
  /** How many answers of the model a run has stored: where a resumed run stands in its budget. */
  answers(run_id: string): Promise<number>;
  /** Calls that started and have no stored result, for this run. */
  openCalls(run_id: string): Promise<{ id: string; name: string; started_at: string }[]>;
};
