// One model asked until it answers, fails for good, or the caller leaves: tries, pauses and keys.
// Knows nothing of other models; its verdict goes to the model's breaker.
import type { ModelChunk, Usage } from '../domain/message.ts';
import type { PolicyNote } from '../domain/policy.ts';
import type { Clock, Log, ModelCaller } from '../domain/ports.ts';
import { pause } from '../resilience/retry.ts';
import { attempt, type Deadlines } from './attempt.ts';
import type { Breakers } from './breakers.ts';
import { metered } from './metered.ts';
import { type Provider, type ProviderAsk, ProviderFailure } from './provider.ts';
import type { Spending } from './spending.ts';
import { blamesModel, nextTry, policyOf, statusOf } from './verdict.ts';

/** One request to a provider, for the metrics. */
export type ModelTry = {
  provider: string;
  model: string;
  /** ok, error, timeout, rate_limited, refused, overflow or cancelled. */
  status: string;
  seconds: number;
  usage: Usage | null;
};
/** How a model failed, when it did. */
export type Failed = { spec: string; failure: ProviderFailure; tries: number; streamed: boolean };

export type TriesDeps = {
  breakers: Breakers;
  spending: Spending;
  log: Log;
  clock: Clock;
  random: () => number;
  observe(request: ModelTry): void;
};
export type Asking = {
  provider: Provider;
  caller: ModelCaller;
  ask: ProviderAsk;
  deadlines: Deadlines;
  signal: AbortSignal;
  note(note: PolicyNote): void;
};

const SPREAD = 0.25;

export function createTries({ breakers, spending, log, clock, random, observe }: TriesDeps) {
  /** Providers that asked for a pause, and until when: one pause for all callers. */
  const resting = new Map<string, number>();

  async function rest(provider: string, signal: AbortSignal): Promise<boolean> {
    const ms = (resting.get(provider) ?? 0) - clock.mono();
    // Everybody waits for the same moment: the extra keeps them from coming all at once.
    return ms <= 0 || pause(ms + random() * SPREAD * ms, signal);
  }

  /** Until the next try; a provider that asked for a pause gets it from everybody. */
  async function wait(failure: ProviderFailure, name: string, ms: number, signal: AbortSignal) {
    if (failure.status !== 429 && failure.status !== 503) return pause(ms, signal);
    resting.set(name, Math.max(resting.get(name) ?? 0, clock.mono() + ms));
    return true;
  }

  /** One request; notes in `seen` whether anything of the answer has gone out, and whether it is whole. */
  async function* once(
    { provider, caller, ask, signal, deadlines }: Asking,
    seen: { streamed: boolean; ended: boolean },
  ): AsyncGenerator<ModelChunk> {
    let begun: number | null = null;
    let status = 'cancelled';
    let usage: Usage | null = null;
    const send = (max_output: number | null): AsyncIterable<ModelChunk> => {
      begun = clock.mono();
      const whole = max_output === null ? ask : { ...ask, max_output };
      return attempt(provider, whole, signal, deadlines);
    };
    try {
      for await (const chunk of metered(spending, { caller, ...ask }, signal, send)) {
        if (chunk.type === 'error') throw new ProviderFailure('network', chunk.message);
        // An empty one is a sign of life for the deadline, and nothing more.
        if (chunk.type === 'reasoning' && chunk.text === '') continue;
        if (chunk.type === 'end') {
          // Before it goes out: who has it asks for nothing more.
          usage = chunk.usage;
          status = 'ok';
          seen.ended = true;
          breakers.succeeded(ask.spec);
        }
        seen.streamed = true;
        yield chunk;
        if (chunk.type === 'end') return;
      }
      throw new ProviderFailure('network', `${ask.spec} broke off: no end of the answer`);
    } catch (error) {
      if (signal.aborted) throw error;
      if (!(error instanceof ProviderFailure))
        log.error({ model: ask.spec, err: error }, 'a provider failed in an unforeseen way');
      const failure =
        error instanceof ProviderFailure
          ? error
          : new ProviderFailure('network', `${ask.spec} failed`);
      status = statusOf(failure);
      usage = failure.usage;
      throw failure;
    } finally {
      // A call that was not sent is no request.
      const seconds = (clock.mono() - (begun ?? 0)) / 1000;
      if (begun !== null)
        observe({ provider: provider.name, model: ask.spec, status, seconds, usage });
    }
  }

  /** Yields the chunks of an answer to its `end` and returns null, or returns how it failed; `cancelled` when asked to. */
  return async function* askModel(
    asking: Asking,
  ): AsyncGenerator<ModelChunk, Failed | 'cancelled' | null> {
    const { provider, ask, signal } = asking;
    const { spec } = ask;
    let rotations = 0;
    let judged = false;
    let seen = { streamed: false, ended: false };
    try {
      for (let tries = 1; ; tries++) {
        if (!(await rest(provider.name, signal))) return 'cancelled';
        seen = { streamed: false, ended: false };
        try {
          yield* once(asking, seen);
          return null;
        } catch (error) {
          if (signal.aborted) return 'cancelled';
          const failure = error as ProviderFailure;
          const { streamed } = seen;
          // Each rotation puts a key to rest, so there are at most as many as keys.
          const rotate = failure.other_key && rotations++ < (provider.keys?.().keys ?? 0);
          const ms = rotate ? 0 : nextTry(failure, { tries, streamed, now: clock.now(), random });
          const fields = { model: spec, status: failure.status, tries, wait_ms: ms, rotate };
          log.warn(fields, failure.message);
          if (ms === null) {
            judged = true;
            if (blamesModel(failure)) breakers.failed(spec, failure.message);
            else breakers.noVerdict(spec);
            return { spec, failure, tries, streamed };
          }
          const reason = rotate ? `${failure.message}; using another key` : failure.message;
          asking.note({
            policy: policyOf(failure, streamed),
            action: 'retry',
            attempt: tries,
            reason,
          });
          if (streamed) yield { type: 'restart', reason: failure.message };
          if (rotate) tries -= 1;
          else if (!(await wait(failure, provider.name, ms, signal))) return 'cancelled';
        }
      }
    } finally {
      // A caller that left before the end has given no verdict: a half-open trial is free again.
      if (!judged && !seen.ended) breakers.noVerdict(spec);
    }
  };
}
