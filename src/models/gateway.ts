// The one door to language models: names, the order in which models are asked, and the published text.
// Exactly one `end` or `error` chunk comes last; no chunk and no log line ever holds a key.
import type { ModelChunk, ModelErrorCode, ModelRequest } from '../domain/message.ts';
import type { PolicyNote } from '../domain/policy.ts';
import type { Clock, Log, ModelCaller, ModelGateway } from '../domain/ports.ts';
import type { Deadlines } from './attempt.ts';
import { type BreakerRow, createBreakers } from './breakers.ts';
import { type ModelSettings, type Provider, ProviderFailure } from './provider.ts';
import { createPublisher } from './publish.ts';
import { type Routing, routeAfter, routeOf } from './route.ts';
import type { Spending } from './spending.ts';
import { type ModelsStatus, modelsStatus } from './status.ts';
import { createTries, type Failed, type ModelTry } from './tries.ts';
import { codeOf, isCallers, isFinal, policyOf } from './verdict.ts';

export type GatewayDeps = {
  routing: Routing;
  settings: ModelSettings;
  providers: ReadonlyMap<string, Provider>;
  /** Publishes text of a call, in order. */
  emitOutput(caller: ModelCaller, text: string): void;
  /** A resilience policy has acted in a call. */
  notePolicy(caller: ModelCaller, note: PolicyNote): void;
  spending: Spending;
  log: Log;
  clock: Clock;
  random?: () => number;
};
export type Gateway = ModelGateway & {
  /** Breakers of models that have failed of late, for the status output. */
  breakers(): BreakerRow[];
  status(): ModelsStatus;
  /** Called after each request to a provider; for metrics. */
  onTry(listener: (request: ModelTry) => void): void;
};

const fail = (message: string, code: ModelErrorCode = 'model_error'): ModelChunk => ({
  type: 'error',
  code,
  message,
});
const RESTARTED = '\n[The answer broke off; it begins anew.]\n';
const NO_DEADLINES: Deadlines = { first_token_ms: 0, total_ms: 0 };

/** `provider:model` in two; a name without a colon is a provider that needs no model. */
export function splitSpec(spec: string): { provider: string; model: string } {
  const colon = spec.indexOf(':');
  return colon < 0
    ? { provider: spec, model: '' }
    : { provider: spec.slice(0, colon), model: spec.slice(colon + 1) };
}

const triesOf = ({ failure, tries }: Failed): string =>
  tries > 1 ? `${failure.message} (after ${tries} tries)` : failure.message;

/** One failure as it is; several as one sentence that lists them all. */
function allFailed(failed: readonly Failed[]): ModelChunk {
  const [first] = failed;
  if (first && failed.length === 1) return fail(triesOf(first), codeOf(first.failure));
  const silent = failed.every((f) => codeOf(f.failure) === 'model_timeout');
  const list = failed.map((f, i) => `(${i + 1}) ${triesOf(f)}`).join('; ');
  const text = `none of the ${failed.length} models answered: ${list}`;
  return fail(text, silent ? 'model_timeout' : 'model_error');
}

export function createGateway(deps: GatewayDeps): Gateway {
  const { providers, settings, log, clock, routing } = deps;
  const random = deps.random ?? Math.random;
  const breakers = createBreakers(() => clock.mono());
  const listeners: ((request: ModelTry) => void)[] = [];
  const observe = (request: ModelTry): void => {
    for (const listener of listeners) listener(request);
  };
  const { spending } = deps;
  const askModel = createTries({ breakers, spending, log, clock, random, observe });

  const problem = (asked: string): string | null => {
    const spec = asked === 'default' ? routing.chosen.model : asked;
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

  type Call = { request: ModelRequest; caller: ModelCaller; signal: AbortSignal };

  /** A provider inside main: its error is its last word, and no breaker watches it. */
  async function* askInside(
    provider: Provider,
    spec: string,
    { request, signal }: Call,
  ): AsyncGenerator<ModelChunk, Failed | 'cancelled' | null> {
    const { messages, tools } = request;
    for await (const chunk of provider.stream({ spec, model: '', messages, tools }, signal)) {
      if (chunk.type === 'error') {
        if (signal.aborted) return 'cancelled';
        const failure = new ProviderFailure('network', chunk.message);
        return { spec, failure, tries: 1, streamed: false };
      }
      yield chunk;
      if (chunk.type === 'end') return null;
    }
    throw new Error('the provider ended without an end');
  }

  /** `last_resort`: everybody before is paused; a local model is asked whatever its breaker says, without a deadline. */
  function askOne(spec: string, call: Call, last_resort: boolean) {
    const { request, caller, signal } = call;
    const { provider: name, model } = splitSpec(spec);
    const provider = providers.get(name) as Provider;
    if (provider.place === 'inproc') return askInside(provider, spec, call);
    const forced = last_resort && provider.place === 'local';
    const paused = forced ? null : breakers.enter(spec);
    if (paused !== null) return paused;
    const { messages, tools } = request;
    return askModel({
      provider,
      caller,
      ask: { spec, model, messages, tools },
      deadlines: forced ? NO_DEADLINES : deadlines(provider),
      signal,
      note: (note) => deps.notePolicy(caller, note),
    });
  }

  /** Asks one model after the other. Yields the answer, or the one error that tells of all of them. */
  async function* walk(call: Call): AsyncGenerator<ModelChunk> {
    const { request, caller } = call;
    const route = routeOf(routing, request.model, caller.role);
    const models = routeAfter(route.models, request.after);
    if (models.length === 0)
      return yield fail(
        `${request.after} gave no answer, also after a reminder, and no other model is listed`,
        'empty_answer',
      );
    const failed: Failed[] = [];
    for (const [i, spec] of models.entries()) {
      const last = i === models.length - 1;
      const wrong = problem(spec);
      const unasked = failed.every((f) => f.tries === 0);
      const asked = wrong ?? askOne(spec, call, last && i > 0 && unasked);
      let result: Failed | 'cancelled' | null;
      if (typeof asked !== 'string') result = yield* asked;
      else {
        const failure = new ProviderFailure('network', asked);
        result = { spec, failure, tries: 0, streamed: false };
      }
      if (result === null) return;
      if (result === 'cancelled') return yield fail('cancelled');
      failed.push(result);
      const over = last || isFinal(result.failure);
      noteEnd(caller, failed, over ? null : (models[i + 1] ?? null));
      if (over) break;
      if (result.streamed) yield { type: 'restart', reason: result.failure.message };
    }
    yield allFailed(isFinal((failed.at(-1) as Failed).failure) ? failed.slice(-1) : failed);
  }

  /** A model has failed for good: the next one is asked, or it is the end. */
  function noteEnd(caller: ModelCaller, failed: readonly Failed[], next: string | null): void {
    const result = failed.at(-1) as Failed;
    const { failure, tries, streamed, spec } = result;
    // The agent may shorten the conversation and ask again, or a person raises a limit: what acts then is theirs.
    if (isCallers(failure)) return;
    // Nobody was asked, or a provider inside main said no: that is an answer, and no policy has acted.
    const inside = providers.get(splitSpec(spec).provider)?.place === 'inproc';
    if (next === null && failed.length === 1 && (inside || tries === 0)) return;
    const text = triesOf(result);
    if (next !== null) log.warn({ model: spec, next, role: caller.role }, 'asking the next model');
    deps.notePolicy(caller, {
      policy: policyOf(failure, streamed),
      action: next === null ? 'stop' : 'fallback',
      attempt: Math.max(0, tries - 1),
      reason: next === null ? text : `${text}; asking ${next} instead`,
    });
  }

  return {
    async *call(request, caller, signal) {
      if (signal.aborted) return yield fail('cancelled');
      if (request.purpose !== 'summary') spending.step(caller);
      const publisher = createPublisher((text) => deps.emitOutput(caller, text));
      let ended = false;
      try {
        for await (const chunk of walk({ request, caller, signal })) {
          // A summary is written for the agent: nobody else reads it as its words.
          const shown = request.purpose !== 'summary';
          if (shown && chunk.type === 'text') publisher.add(chunk.text);
          if (shown && chunk.type === 'restart') publisher.add(RESTARTED);
          if (chunk.type === 'end' || chunk.type === 'error') {
            ended = true;
            publisher.flush();
          }
          yield chunk;
          if (ended) return;
        }
        throw new Error('no model gave an end');
      } catch (error) {
        log.error({ model: request.model, err: error }, 'a model call failed in an unforeseen way');
        publisher.flush();
        if (!ended) yield fail(signal.aborted ? 'cancelled' : `${request.model} failed`);
      } finally {
        publisher.flush();
      }
    },
    chosen: () => ({ ...routing.chosen }),
    route: (model, role) => routeOf(routing, model, role),
    context(model, role) {
      const [spec = ''] = routeOf(routing, model, role).models;
      const provider = providers.get(splitSpec(spec).provider);
      const tokens = provider?.context ?? settings.context_tokens;
      return tokens === 'endless' ? null : { tokens, by_model: provider?.place !== 'inproc' };
    },
    beats: (model, role) =>
      routeOf(routing, model, role).models.some(
        (spec) => providers.get(splitSpec(spec).provider)?.place !== 'inproc',
      ),
    inputPrice: (model) => settings.prices[model]?.input ?? null,
    problem,
    breakers: breakers.rows,
    status: () => modelsStatus(routing, providers, breakers.rows()),
    onTry: (listener) => void listeners.push(listener),
  };
}
