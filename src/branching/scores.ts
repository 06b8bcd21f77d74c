// How heavy the work is so far, by two schemes. Pure; both breakdowns are always made.
// `ratio` judges the first round of tools, `points` the work that has been spent since.
import type { Usage } from '../domain/message.ts';
import type { Work } from './calls.ts';

/** One row of a breakdown. `value` is what was measured, 0 to 1; what it adds to the score is `weight` × `value`. */
export type Component = {
  name: string;
  weight: number;
  value: number;
  adds: number;
  /** What was counted, for people: "3 different of 3". */
  found: string;
};
export type Score = {
  id: 'ratio' | 'points';
  /** 0 to 1. */
  score: number;
  threshold: number;
  /** The score reaches the threshold, and there is enough to judge by. */
  verdict: boolean;
  components: Component[];
};

export const RATIO_THRESHOLD = 0.3;
export const POINTS_THRESHOLD = 3;
const MOST_POINTS = 7;
/** One call is always "all different": too little to judge by. */
export const MIN_TOOL_CALLS = 2;

const MANY_CALLS = 15;
const MANY_TURNS = 8;
const MANY_MESSAGES = 30;

/** Sums of tenths are not exact in binary; a score at its threshold must reach it. */
const exact = (score: number): number => Math.round(score * 1e9) / 1e9;

const component = (name: string, weight: number, value: number, found: string): Component => ({
  name,
  weight,
  value,
  adds: exact(weight * value),
  found,
});

const totalOf = (components: readonly Component[]): number =>
  exact(components.reduce((sum, { adds }) => sum + adds, 0));

/** `min_tool_calls`: fewer calls are never enough; 0 judges whatever is there. `threshold`: 0 to 1. */
export function ratioScore(
  work: Work,
  { threshold = RATIO_THRESHOLD, min_tool_calls = MIN_TOOL_CALLS } = {},
): Score {
  const total = work.calls.length;
  const unique = new Set(work.calls).size;
  const components = [
    component(
      'tool_diversity',
      0.3,
      total === 0 ? 0 : Math.min(1, unique / total),
      `${unique} different of ${total}`,
    ),
    component('tool_call_count', 0.3, Math.min(1, total / MANY_CALLS), `${total} of ${MANY_CALLS}`),
    component(
      'turn_count',
      0.2,
      Math.min(1, work.turns / MANY_TURNS),
      `${work.turns} of ${MANY_TURNS}`,
    ),
    component('reasoning_ratio', 0.1, work.reasoning, `${Math.round(work.reasoning * 100)} %`),
    component(
      'context_compression',
      0.1,
      work.messages > MANY_MESSAGES ? 0.5 : 0,
      `${work.messages} messages, more than ${MANY_MESSAGES} count half`,
    ),
  ];
  const score = Math.min(1, totalOf(components));
  const verdict = score >= threshold && total >= min_tool_calls;
  return { id: 'ratio', score, threshold, verdict, components };
}

/** What is known of a run beside its messages. `compressed`: its history was compacted. */
export type Spent = {
  usage: Pick<Usage, 'input_tokens' | 'output_tokens' | 'reasoning_tokens'>;
  compressed: boolean;
};

const NOTHING: Spent = {
  usage: { input_tokens: 0, output_tokens: 0, reasoning_tokens: 0 },
  compressed: false,
};

/** `threshold`: points. The score is their share of all seven. */
export function pointsScore(
  work: Work,
  { usage, compressed }: Spent = NOTHING,
  { threshold = POINTS_THRESHOLD } = {},
): Score {
  const calls = work.calls.length;
  const unique = new Set(work.calls).size;
  const tokens = usage.input_tokens + usage.output_tokens;
  const reasoned = tokens === 0 ? 0 : usage.reasoning_tokens / tokens;
  const rule = (name: string, points: number, fires: boolean, found: string): Component =>
    component(name, points / MOST_POINTS, fires ? 1 : 0, found);
  const components = [
    rule('tool_call_count', 1, calls >= 10, `${calls}, from 10 on 1 point`),
    rule('unique_tools', 1, unique >= 4, `${unique}, from 4 on 1 point`),
    rule(
      'reasoning_tokens',
      1,
      reasoned >= 0.3,
      `${Math.round(reasoned * 100)} % of the tokens, from 30 % on 1 point`,
    ),
    rule('turn_count', 1, work.turns >= 8, `${work.turns}, from 8 on 1 point`),
    rule('delegated', 2, work.delegated, work.delegated ? 'yes, 2 points' : 'no'),
    rule('context_compression', 1, compressed, compressed ? 'yes, 1 point' : 'no'),
  ];
  const score = totalOf(components);
  const least = exact(threshold / MOST_POINTS);
  return {
    id: 'points',
    score,
    threshold: least,
    verdict: exact(score + 1e-8) >= least,
    components,
  };
}

/** The points behind a score of that scheme, 0 to 7. */
export const pointsOf = (score: Score): number => Math.round(score.score * MOST_POINTS);

export type Scores = { ratio: Score; points: Score };

/** `auto`: `ratio` after the first round, `points` at a checkpoint. `any` and `all` of both. */
export type Combination = 'auto' | 'ratio' | 'points' | 'any' | 'all';
export type Trigger = 'first_round' | 'checkpoint';

export function heavyEnough(scores: Scores, combine: Combination, trigger: Trigger): boolean {
  const { ratio, points } = scores;
  if (combine === 'any') return ratio.verdict || points.verdict;
  if (combine === 'all') return ratio.verdict && points.verdict;
  const chosen = combine === 'auto' ? (trigger === 'first_round' ? 'ratio' : 'points') : combine;
  return scores[chosen].verdict;
}
