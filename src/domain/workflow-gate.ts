// What the room of tasks asks of the workflows: whether a start may happen, and what the tests of a phase show.
import type { Query } from './query.ts';

/** A start that has passed the guard, put before the workflow of its query. */
export type AdmitAsk = {
  query: Query;
  parent: string;
  /** null: the main agent asks. */
  parent_task_id: string | null;
  by_main: boolean;
  child: string;
  description: string;
};
/** `description`: what the child is told; the runtime may have added to it. */
export type Admission = { ok: true; description: string } | { ok: false; message: string };

/** A TDD agent asks for a phase to be checked: the runtime runs the tests. */
export type PhaseAsk = {
  query: Query;
  /** null: the main agent asks. */
  task_id: string | null;
  run_id: string;
  call_id: string;
  phase: 'red' | 'green' | 'refactor';
};
export type PhaseAnswer =
  | { ok: true; state: 'running' }
  | { ok: true; state: 'checked'; passed: boolean; text: string }
  | { ok: false; message: string };

/** What the room of tasks asks of the workflows. */
export type WorkflowGate = {
  admit(ask: AdmitAsk): Promise<Admission>;
  check(ask: PhaseAsk, wait_ms: number): Promise<PhaseAnswer>;
};
