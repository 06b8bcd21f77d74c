// What follows from a failed try: another one, how soon, or none; and what its end is called. Pure.
import type { ModelErrorCode } from '../domain/message.ts';
import type { PolicyName } from '../domain/policy.ts';
import { POLICIES } from '../resilience/policy.ts';
import { isRetryable, pauseBefore, retryAfterMs } from '../resilience/retry.ts';
import type { FailureKind, ProviderFailure } from './provider.ts';

/** Tries of one model: the first, and as many more as the policy gives. */
const TRIES = 1 + POLICIES.external_api_error.max_retries;
const TRIES_AFTER_SILENCE = 1 + POLICIES.model_timeout.max_retries;
/** The request itself is wrong: says nothing about the health of the model. */
const FINAL: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'refused',
  'overflow',
  'budget',
  'no_price',
]);
const CALLERS_FAULT = new Set([400, 413, 422]);

export type Tried = {
  tries: number;
  /** Some of the answer has gone out already. */
  streamed: boolean;
  now: Date;
  random: () => number;
};

/** Milliseconds until the same model is asked again, or null: this failure is its last word. */
export function nextTry(failure: ProviderFailure, at: Tried): number | null {
  const { kind, status, retry_after } = failure;
  if (kind === 'total' || isFinal(failure)) return null;
  // A stream that breaks off is asked once more, like one that never began.
  if (kind === 'timeout' || at.streamed)
    return at.tries < TRIES_AFTER_SILENCE && isRetryable(status) ? 0 : null;
  if (at.tries >= TRIES || !isRetryable(status)) return null;
  return pauseBefore(at.tries, retryAfterMs(retry_after, at.now), at.random);
}

/** Nobody else is asked: what is wrong is what was asked. */
export const isFinal = ({ kind }: ProviderFailure): boolean => FINAL.has(kind);

/** Whoever calls models must act on it, or a limit was reached: no resilience policy has to do with it. */
export const isCallers = ({ kind }: ProviderFailure): boolean =>
  kind !== 'refused' && FINAL.has(kind);

/** Whether it speaks against the model, for its breaker. */
export const blamesModel = (failure: ProviderFailure): boolean =>
  !isFinal(failure) && !CALLERS_FAULT.has(failure.status ?? 0);

const CODES: Partial<Record<FailureKind, ModelErrorCode>> = {
  timeout: 'model_timeout',
  total: 'model_timeout',
  refused: 'model_refused',
  overflow: 'context_overflow',
  budget: 'budget_exceeded',
  no_price: 'price_unknown',
};
export const codeOf = ({ kind }: ProviderFailure): ModelErrorCode => CODES[kind] ?? 'model_error';

export const policyOf = (failure: ProviderFailure, streamed: boolean): PolicyName =>
  codeOf(failure) === 'model_timeout' || (streamed && failure.kind === 'network')
    ? 'model_timeout'
    : 'external_api_error';

/** The word for a try in metrics. */
export function statusOf(failure: ProviderFailure): string {
  if (failure.status === 429) return 'rate_limited';
  if (codeOf(failure) === 'model_timeout') return 'timeout';
  return isFinal(failure) ? failure.kind : 'error';
}
