// The workflows a query may ask for: each has a role that is the query's main agent, and a depth of its own.
import type { Query } from './query.ts';

export const WORKFLOW_NAMES = ['strict-plan', 'strict-spec', 'tdd'] as const;
export type WorkflowName = (typeof WORKFLOW_NAMES)[number];

/** `max_depth`: of its tree, whatever the configuration says of others. */
export const WORKFLOWS: Readonly<Record<WorkflowName, { role: string; max_depth: number }>> = {
  'strict-plan': { role: 'StrictPlan', max_depth: 3 },
  'strict-spec': { role: 'StrictSpec', max_depth: 3 },
  tdd: { role: 'TDD', max_depth: 2 },
};

export const MAIN_ROLE = 'main';

/** The role of a query's main agent. */
export const mainRoleOf = ({ options }: Pick<Query, 'options'>): string =>
  options.workflow ? WORKFLOWS[options.workflow].role : MAIN_ROLE;

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
