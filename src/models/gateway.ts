// The one door to language models: names, breaker, retries, deadlines and the published text.
// Exactly one `end` or `error` chunk comes last; no chunk and no log line ever holds a key.
import type { ModelChunk, ModelRequest } from '../domain/message.ts';
import type { PolicyNote } from '../domain/policy.ts';
import type { Clock, Log, ModelCaller, ModelGateway } from '../domain/ports.ts';
import { POLICIES } from '../resilience/policy.ts';
import { isRetryable, pause, pauseBefore, retryAfterMs } from '../resilience/retry.ts';
import { attempt, type Deadlines } from './attempt.ts';
import { type BreakerRow, createBreakers } from './breakers.ts';
import type { Choice } from './choose.ts';
import {
  type ModelSettings,
  type Provider,
  type ProviderAsk,
  ProviderFailure,
} from './provider.ts';
import { createPublisher } from './publish.ts';

export type GatewayDeps = {
  chosen: Choice;
  settings: ModelSettings;
  providers: ReadonlyMap<string, Provider>;
  /** Publishes text of a call, in order. */
  emitOutput(caller: ModelCaller, text: string): void;
  /** A resilience policy has acted in a call. */
  notePolicy(caller: ModelCaller, note: PolicyNote): void;
  log: Log;
  clock: Clock;
  random?: () => number;
};
export type Gateway = ModelGateway & {
  /** Breakers of models that have failed of late, for the status output. */
  breakers(): BreakerRow[];
};

/** Tries of one call: the first, and as many more as the policy gives. */
const TRIES = 1 + POLICIES.external_api_error.max_retries;
const TRIES_AFTER_TIMEOUT = 1 + POLICIES.model_timeout.max_retries;
const SPREAD = 0.25;
/** The request itself is wrong: says nothing about the health of the model. */
const CALLERS_FAULT = new Set([400, 413, 422]);

type Target = { provider: Provider; ask: ProviderAsk };
const fail = (
  message: string,
  code: 'model_error' | 'model_timeout' | 'model_refused' = 'model_error',
): ModelChunk => ({ type: 'error', code, message });

/** `provider:model` in two; a name without a colon is a provider that needs no model. */
export function splitSpec(spec: string): { provider: string; model: string } {
  const colon = spec.indexOf(':');
  return colon < 0
    ? { provider: spec, model: '' }
    : { provider: spec.slice(0, colon), model: spec.slice(colon + 1) };
}

export function createGateway(deps: GatewayDeps): Gateway {
  const { providers, settings, log, clock } = deps;
  const random = deps.random ?? Math.random;
  const breakers = createBreakers(() => clock.mono());
  /** Providers that asked for a pause, and until when: one pause for all callers. */
  const resting = new Map<string, number>();
  const resolve = (spec: string): string => (spec === 'default' ? deps.chosen.model : spec);

  const problem = (asked: string): string | null => {
    const spec = resolve(asked);
    const { provider, model } = splitSpec(spec);
    const found = providers.get(provider);
    const known = [...providers.keys()].join(', ');
    if (!found)
      return `unknown model "${spec}": the provider "${provider}" is not known. Known: ${known}; write provider:model`;
    if (found.place !== 'inproc' && model === '')
      return `model "${spec}" names no model: write ${provider}:<model>`;
    if (found.place === 'inproc' && model !== '')
      return `model "${spec}": ${provider} has no models to choose from; write ${provider}`;
    return found.problem;
  };

  const deadlines = ({ place }: Provider): Deadlines => {
    const local = place === 'local';
    return {
      first_token_ms:
        1000 * (local ? settings.local_first_token_timeout_s : settings.first_token_timeout_s),
      total_ms: 1000 * (local ? settings.local_total_timeout_s : settings.total_timeout_s),
    };
  };

  /** Milliseconds until the next try, or null: this failure is final. */
  const nextTry = (failure: ProviderFailure, tries: number, streamed: boolean): number | null => {
    // What has been shown cannot be taken back: a second answer would be glued to half of the first.
    if (streamed || failure.kind === 'refused' || tries >= TRIES) return null;
    if (failure.kind === 'timeout') return tries < TRIES_AFTER_TIMEOUT ? 0 : null;
    if (!isRetryable(failure.status)) return null;
    return pauseBefore(tries, retryAfterMs(failure.retry_after, clock.now()), random);
  };

  const verdict = (failure: ProviderFailure, spec: string): void => {
    if (failure.kind === 'refused' || CALLERS_FAULT.has(failure.status ?? 0))
      breakers.noVerdict(spec);
    else breakers.failed(spec, failure.message);
  };

  const rest = async (provider: string, signal: AbortSignal): Promise<boolean> => {
    const ms = (resting.get(provider) ?? 0) - clock.mono();
    // Everybody waits for the same moment: the extra keeps them from coming all at once.
    return ms <= 0 || pause(ms + random() * SPREAD * ms, signal);
  };

  /** Tries until an answer, a final failure or the caller's cancel. Yields the chunks of the answer. */
  async function* tryAll(
    { provider, ask }: Target,
    caller: ModelCaller,
    signal: AbortSignal,
  ): AsyncGenerator<ModelChunk> {
    for (let tries = 1; ; tries++) {
      if (!(await rest(provider.name, signal))) return yield fail('cancelled');
      let streamed = false;
      try {
        for await (const chunk of attempt(provider, ask, signal, deadlines(provider))) {
          if (chunk.type === 'end') breakers.succeeded(ask.spec);
          if (chunk.type !== 'reasoning' || chunk.text !== '') {
            streamed = true;
            yield chunk;
          }
          if (chunk.type === 'end' || chunk.type === 'error') return;
        }
        throw new ProviderFailure('network', `${ask.spec} broke off: no end of the answer`);
      } catch (error) {
        if (signal.aborted) return yield fail('cancelled');
        const failure =
          error instanceof ProviderFailure
            ? error
            : new ProviderFailure('network', `${ask.spec} failed`, { cause: error });
        const wait = nextTry(failure, tries, streamed);
        log.warn(
          { model: ask.spec, status: failure.status, tries, wait_ms: wait },
          failure.message,
        );
        deps.notePolicy(caller, {
          policy: failure.kind === 'timeout' ? 'model_timeout' : 'external_api_error',
          action: wait === null ? 'stop' : 'retry',
          attempt: wait === null ? tries - 1 : tries,
          reason: failure.message,
        });
        if (wait === null) {
          verdict(failure, ask.spec);
          const after = tries > 1 ? ` (after ${tries} tries)` : '';
          const codes = { timeout: 'model_timeout', refused: 'model_refused' } as const;
          const code = codes[failure.kind as keyof typeof codes] ?? 'model_error';
          return yield fail(`${failure.message}${after}`, code);
        }
        if (failure.status === 429 || failure.status === 503)
          resting.set(
            provider.name,
            Math.max(resting.get(provider.name) ?? 0, clock.mono() + wait),
          );
        else if (!(await pause(wait, signal))) return yield fail('cancelled');
      }
    }
  }

  function start(request: ModelRequest): Target | ModelChunk {
    const wrong = problem(request.model);
    if (wrong) return fail(wrong);
    const spec = resolve(request.model);
    const { provider: name, model } = splitSpec(spec);
    const provider = providers.get(name) as Provider;
    const refused = provider.place === 'inproc' ? null : breakers.enter(spec);
    if (refused) return fail(refused);
    const { messages, tools } = request;
    return { provider, ask: { spec, model, messages, tools } };
  }

  return {
    async *call(request, caller, signal) {
      if (signal.aborted) return yield fail('cancelled');
      const target = start(request);
      if ('type' in target) return yield target;
      const publisher = createPublisher((text) => deps.emitOutput(caller, text));
      let ended = false;
      try {
        const { provider, ask } = target;
        const direct = provider.place === 'inproc';
        for await (const chunk of direct
          ? provider.stream(ask, signal)
          : tryAll(target, caller, signal)) {
          if (chunk.type === 'text') publisher.add(chunk.text);
          if (chunk.type === 'end' || chunk.type === 'error') {
            ended = true;
            publisher.flush();
          }
          yield chunk;
          if (ended) return;
        }
        throw new Error('the provider ended without an end');
      } catch (error) {
        log.error(
          { model: target.ask.spec, err: error },
          'a model call failed in an unforeseen way',
        );
        publisher.flush();
        if (!ended) yield fail(signal.aborted ? 'cancelled' : `${target.ask.spec} failed`);
        ended = true;
      } finally {
        publisher.flush();
        // A caller that left before the end has given no verdict: a half-open trial is free again.
        if (!ended || signal.aborted) breakers.noVerdict(target.ask.spec);
      }
    },
    chosen: () => ({ ...deps.chosen }),
    beats: (asked) => providers.get(splitSpec(resolve(asked)).provider)?.place !== 'inproc',
    problem,
    breakers: breakers.rows,
  };
}
