// Whether the finished branches are enough, so that the rest can be cancelled. Pure; cancels nothing.
import type { BranchResult } from './merge.ts';

/**
 * What makes results enough. `all`: nothing but all of them. `count`: so many have completed. `text`: so many completed
 * summaries hold this text, in any case.
 */
export type GoalCheck =
  | { kind: 'all' }
  | { kind: 'count'; of: number }
  | { kind: 'text'; text: string; of: number };

export type EarlyStop = {
  stop: boolean;
  /** Branches that satisfied the check. */
  enough: number[];
  /** Branches that are still at work and would be cancelled. */
  cancel: number[];
  /** What those were still expected to take; 0 where nothing was predicted. */
  saved_tokens: number;
  saved_ms: number;
};

export type OpenBranch = {
  index: number;
  /** Predicted for the whole branch, and used so far. */
  predicted_tokens: number;
  predicted_ms: number;
  used_tokens: number;
  used_ms: number;
};

const left = (predicted: number, used: number): number => Math.max(0, predicted - used);

export function earlyStop(
  check: GoalCheck,
  finished: readonly BranchResult[],
  open: readonly OpenBranch[],
): EarlyStop {
  const completed = finished.filter(({ status }) => status === 'completed');
  const good =
    check.kind === 'text'
      ? completed.filter(({ summary }) => summary.toLowerCase().includes(check.text.toLowerCase()))
      : completed;
  const wanted = check.kind === 'all' ? Number.POSITIVE_INFINITY : Math.max(1, check.of);
  const stop = open.length > 0 && good.length >= wanted;
  return {
    stop,
    enough: good.map(({ index }) => index).sort((a, b) => a - b),
    cancel: stop ? open.map(({ index }) => index) : [],
    saved_tokens: stop ? open.reduce((n, b) => n + left(b.predicted_tokens, b.used_tokens), 0) : 0,
    saved_ms: stop ? open.reduce((n, b) => n + left(b.predicted_ms, b.used_ms), 0) : 0,
  };
}
