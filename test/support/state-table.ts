// What holds when a process dies in each state of a subagent: said once, for the tests and for the documentation.
import type { SubagentState } from '../../src/domain/subagent.ts';

export const VICTIMS = ['main', 'role server'] as const;
export type Victim = (typeof VICTIMS)[number];

/** One sentence for people; the test of the same state and victim proves it. */
export const AFTER_KILL: Record<SubagentState, Record<Victim, string>> = {
  created: {
    main: 'It keeps its place in the queue, starts after the work that was before it, and ends once.',
    'role server':
      'It is in no role server yet. The one that holds the slot dies: its run goes on first, the waiting task keeps its place.',
  },
  assigned: {
    main: 'The half-started role server is gone within 2 s; the next start of main starts one, and the task runs.',
    'role server': 'The start is tried again, and the task runs in the second process.',
  },
  running: {
    main: 'Commands and role servers are gone within 2 s; the run goes on from its checkpoint and does not repeat the command.',
    'role server':
      'Its command dies with it; the run goes on in a new process from its checkpoint and does not repeat the command.',
  },
  blocked: {
    main: 'It is assigned again at the next start of main and runs on from its checkpoint.',
    'role server': 'It is assigned again, runs on in a new process and is no longer blocked.',
  },
  completed: {
    main: 'Status, result and time of the end stay as they were.',
    'role server': 'Nothing changes; the next task of the role starts a new process.',
  },
  failed: {
    main: 'It stays failed with its reasons and is not tried again by itself.',
    'role server': 'Nothing changes; the next task of the role starts a new process.',
  },
  cancelled: {
    main: 'It stays cancelled: the next start of main runs nothing of it.',
    'role server': 'It stays cancelled; the next task of the role starts a new process.',
  },
  destroyed: {
    main: 'The row stays destroyed, and its task keeps its outcome.',
    'role server': 'Nothing changes; the next task of the role starts a new process.',
  },
};

export const stateTest = (state: SubagentState, victim: Victim): string =>
  `${victim} is killed while a subagent is ${state}`;
