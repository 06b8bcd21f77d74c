// What the rules of a workflow are decided from: the user's words, the tasks of the main agent, the documents.
import type { Store } from '../../domain/ports.ts';
import type { Query } from '../../domain/query.ts';
import { isOpenTask, type Task } from '../../domain/task.ts';
import { asksForChoice, type Choice, choiceIn } from '../../workflows/strict-plan.ts';
import {
  askedStage,
  type SpecFacts,
  STAGES,
  type StageName,
  stageOfRole,
} from '../../workflows/strict-spec.ts';
import { type Coded, codersOf, failedCoders, hasFailed, reasonOf } from './coders.ts';
import { type Feature, featuresIn, readFeature } from './documents.ts';

export type Told = {
  /** What the user has written, oldest first. */
  words: string[];
  /** Answers to "now or later", oldest first. */
  choices: { choice: Choice; at: string }[];
  /** When the turn that is at work began. */
  turn: string;
  /** The user's last word: what failed before it, the user knows. */
  since: string;
};

/** Far more than a query asks. */
const MOST_QUESTIONS = 500;

/** Questions of the main agent that a person has answered, oldest first. */
async function answersOf({ reads }: Store, query_id: string) {
  const ask = { query_id, kind: 'question', status: 'decided' } as const;
  const { data } = await reads.reviews.list({ ...ask, limit: MOST_QUESTIONS, cursor: null });
  return data
    .flatMap((r) =>
      r.kind === 'question' && r.task_id === null && r.decision && r.decided_at
        ? [{ options: r.request.options, answer: r.decision.answer, at: r.decided_at }]
        : [],
    )
    .sort((a, b) => a.at.localeCompare(b.at));
}

export async function toldBy(store: Store, query_id: string): Promise<Told> {
  const { reads } = store;
  const { messages } = await reads.checkpoints.thread(query_id);
  const words = messages
    .filter((m) => m.role === 'user' && m.kind !== 'notice')
    .map((m) => m.content);
  const turn = (await reads.loops.ofQuery(query_id)).at(-1)?.created_at ?? '';
  const answers = await answersOf(store, query_id);
  const choices = answers.flatMap(({ options, answer, at }) => {
    const choice = asksForChoice(options) ? choiceIn(answer) : null;
    return choice ? [{ choice, at }] : [];
  });
  const [since = turn] = [turn, answers.at(-1)?.at ?? ''].sort().reverse();
  return { words, choices, turn, since };
}

/** The last "now" or "later": an answer of this turn, else a message after the request itself, else an older answer. */
export function choiceOf({ words, choices, turn }: Told): Choice | null {
  const last = choices.at(-1);
  if (last && last.at >= turn) return last.choice;
  const said = words.slice(1).map(choiceIn);
  return said.findLast((choice) => choice !== null) ?? last?.choice ?? null;
}

/** The document stage that failed last since the user's last word, and has not succeeded since. */
function failedStage(tasks: readonly Task[], since: string): SpecFacts['failed'] {
  for (const { name, role } of STAGES.slice(0, 3)) {
    const last = tasks.findLast((t) => t.subagent_type === role && t.parent_task_id === null);
    if (last && hasFailed(last) && last.updated_at >= since)
      return { stage: name, reason: reasonOf(last), times: 1 };
  }
  return null;
}

export function failureOf(
  tasks: readonly Task[],
  coders: readonly Coded[],
  since: string,
): SpecFacts['failed'] {
  const coding = failedCoders(coders, since);
  return failedStage(tasks, since) ?? (coding && { stage: 'implementation', ...coding });
}

/** `feature`: the one that is meant; else the one that the tasks before were about, else the only one there is. */
export async function featureOf(
  query: Query,
  tasks: readonly Task[],
  named: string | null,
): Promise<string | null> {
  if (named) return named;
  const before = codersOf(tasks.map((t) => ({ ...t, subagent_type: 'SubCoding' })));
  const last = before.findLast((c) => c.dispatch.feature !== null)?.dispatch.feature;
  if (last) return last;
  const all = await featuresIn(query.workdir);
  return all.length === 1 ? (all[0] ?? null) : null;
}

export async function specFacts(
  store: Store,
  query: Query,
  feature: string,
): Promise<SpecFacts & { read: Feature; coders: Coded[] }> {
  const tasks = await store.reads.tasks.ofQuery(query.query_id);
  const told = await toldBy(store, query.query_id);
  const read = await readFeature(query.workdir, feature);
  const coders = codersOf(tasks);
  const open = tasks
    .filter((t) => t.parent_task_id === null && isOpenTask(t.status))
    .flatMap((t): StageName[] =>
      stageOfRole(t.subagent_type) ? [stageOfRole(t.subagent_type) as StageName] : [],
    );
  // One stage by itself is asked for where the feature has its documents; a new feature goes through all of them.
  const begun = tasks.some(
    (t) => stageOfRole(t.subagent_type) !== null && t.created_at < told.turn,
  );
  const known = begun || (await featuresIn(query.workdir)).length > 0;
  return {
    docs: read.docs,
    only: known ? askedStage(told.words.at(-1) ?? '') : null,
    open,
    failed: failureOf(tasks, coders, told.since),
    boxes_left: read.boxes.filter((b) => !b.ticked).length,
    read,
    coders,
  };
}
