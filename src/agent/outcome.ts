// How a run ends, in the words of the outcome. Only `goal` is a success. Pure.
import { type ErrorCode, type Failure, toFailure } from '../domain/errors.ts';
import type { EndReason, RunOutcome } from '../domain/run.ts';
import type { RunState } from './agent-run.ts';

export type Ending = {
  status: RunOutcome['status'];
  end_reason: EndReason;
  error: Failure | null;
};

export const GOAL: Ending = { status: 'completed', end_reason: 'goal', error: null };

export const failedWith = (end_reason: EndReason, code: ErrorCode, message: string): Ending => ({
  status: 'failed',
  end_reason,
  error: { code, message, reasons: [message] },
});

const REASONS: Partial<Record<ErrorCode, EndReason>> = {
  model_refused: 'refused',
  run_timeout: 'timeout',
  empty_answer: 'empty',
  budget_exceeded: 'budget',
  price_unknown: 'budget',
};

/** The end of a run that something was thrown in. `why` comes from the run's signal. */
export function endingOf(error: unknown, why: 'cancelled' | 'timeout' | null): Ending {
  const failure = toFailure(error);
  if (why === 'cancelled' || (why === null && failure.code === 'cancelled'))
    return {
      status: 'cancelled',
      end_reason: 'cancelled',
      error: failure.code === 'cancelled' ? failure : { ...failure, code: 'cancelled' },
    };
  if (why === 'timeout')
    return { status: 'failed', end_reason: 'timeout', error: { ...failure, code: 'run_timeout' } };
  return { status: 'failed', end_reason: REASONS[failure.code] ?? 'error', error: failure };
}

export function outcomeOf(state: RunState, ending: Ending, background_left: string[]): RunOutcome {
  const { usage, iterations, text, notes } = state;
  return {
    ...ending,
    text: [text, ...notes].filter((part) => part.trim() !== '').join('\n\n'),
    usage,
    iterations,
    model: state.ctx.model.answered,
    background_left,
  };
}
