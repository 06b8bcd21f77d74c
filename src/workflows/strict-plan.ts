// One change from question to code: what may start now, and what the user has decided. Pure.
import type { DocState } from './strict-spec.ts';

export type Choice = 'now' | 'later';
export type PlanFacts = {
  /** Ids under .cospec/plan/changes/. */
  changes: string[];
  proposal: DocState | null;
  tasks: DocState | null;
  choice: Choice | null;
};

const NOW =
  /^\W*(?:(?:yes|ok(?:ay)?|please|go ahead|implement|build|start|do)\b[\s,]*(?:it\b|and\b)?\s*)*\bnow\b|^\W*(지금|바로)|^\W*(现在|立即|马上)/i;
const LATER = /^\W*(?:not now|later)\b|^\W*나중|^\W*(以后|稍后|之后)/i;

/** What an answer or a message of the user says to "now or later"; null: something else. */
export const choiceIn = (text: string): Choice | null =>
  LATER.test(text) ? 'later' : NOW.test(text) ? 'now' : null;

/** Whether a question is the one that decides: it offers both. */
export const asksForChoice = (options: readonly string[]): boolean =>
  options.some((o) => choiceIn(o) === 'now') && options.some((o) => choiceIn(o) === 'later');

const wrong = (doc: DocState | null, what: string): string | null => {
  if (!doc || doc.missing) return `${doc?.path ?? what} is missing`;
  if (doc.findings.length === 0) return null;
  return `${doc.path} is not in order: ${doc.findings.slice(0, 10).join('; ')}`;
};

/** Why no coder may start; null: one may, as far as documents and user are concerned. */
export function refuseCoding(change: string | null, facts: PlanFacts): string | null {
  if (change === null)
    return `the description names no change; it has a line "Change: <id>" (there are: ${facts.changes.join(', ') || 'none'})`;
  const doc = wrong(facts.proposal, 'proposal.md') ?? wrong(facts.tasks, 'task.md');
  if (doc) return `no coder starts before the proposal is in order: ${doc}`;
  if (facts.choice === 'later') return 'the user has chosen "later": end your turn and name the id';
  if (facts.choice === null)
    return 'the user has not decided yet: ask whether to implement now or later, with the options "now" and "later"; no coder starts before the answer is "now"';
  return null;
}
