// Tables of docs/api.md and docs/operating.md: routes, error codes, kinds of events, policies, metrics.
// The words are here, the facts come from the source; the compiler asks for words when a fact is new.
import { ERRORS, type ErrorCode } from '../../src/domain/errors.ts';
import type { EventKind } from '../../src/domain/event.ts';
import { POLICY_NAMES } from '../../src/domain/policy.ts';
import { QUERY_STATUSES } from '../../src/domain/query.ts';
import { REVIEW_STATUSES } from '../../src/domain/review.ts';
import { SUBAGENT_STATES } from '../../src/domain/subagent.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { openApiDocument } from '../../src/http/openapi-document.ts';
import { createReaders } from '../../src/http/readers.ts';
import { POLICIES } from '../../src/resilience/policy.ts';
import { code, table } from './blocks.ts';

const WHEN: Record<ErrorCode, string> = {
  bad_request: 'not a request that this route takes; `errors` names each fault',
  unauthorized: 'no API key, or one that is not known',
  forbidden: 'the key lacks the scope, or a page of another origin calls',
  not_found: 'there is no such thing, or no such route',
  gone: 'events behind that place have been removed; the detail names the first that is kept',
  method_not_allowed: 'the path is right, the method is not; see the header `Allow`',
  conflict: 'not in this state; the detail says which it is',
  body_too_large: 'the body is larger than `[limits] body_limit`',
  unsupported_media_type: 'the body is not `application/json`',
  misdirected: 'the `Host` header names a host that this server does not answer to',
  budget_exceeded: 'a limit on what may be spent is reached; the call was not sent',
  price_unknown: 'a limit in USD holds and the model has no price; the call was not sent',
  idempotency_mismatch: 'the `Idempotency-Key` was used with another body',
  unknown_role: 'no role has that name; the detail lists those that exist',
  schema_invalid: 'an output schema that cannot be used; `errors[]` says where',
  spawn_refused: 'the depth or the table of who may start whom forbids it',
  decision_invalid: 'the decision does not fit the review; the detail says what is allowed',
  queue_full: 'as many tasks wait as `[subagents] queue_limit` allows',
  capacity: 'no slot is free and `overflow = "reject"` is set',
  rate_limited: 'too many wrong keys from this address',
  internal: 'our fault; the log has more under `request_id`',
  shutting_down: 'the server is stopping',
  storage_busy: 'the database was locked for too long',
  storage_full: 'the disk is full',
  start_timeout: 'a role server was not ready by its deadline',
  start_exited: 'a role server ended before it was ready',
  start_spawn_failed: 'a role server could not be started at all',
  start_bad_ready_line: 'a role server said something else than where it listens',
  start_identity_mismatch: 'something else answered in place of the role server',
  start_not_ready: 'a role server answered, but not as ready',
  role_parked: 'the role ended quickly too often and is paused',
  server_crashed: 'the role server ended while it worked',
  server_hung: 'the role server no longer answered and was ended',
  server_unreachable: 'a role server that runs elsewhere cannot be reached',
  lost: 'it ran when the server ended, and `recovery = "fail"` is set',
  model_error: 'the model, or the way to it, failed',
  model_timeout: 'the model did not answer in time',
  model_refused: 'the model provider refuses the request',
  context_overflow: 'the conversation is too long for the model',
  empty_answer: 'the model answered with nothing, repeatedly',
  iteration_cap: 'the run has used its model calls',
  no_progress: 'the run repeated itself without getting anywhere',
  blocked: 'no sign of progress until the deadline, or the agent said that it cannot go on',
  safe_stop: 'the agent was stopped before a risky action; nothing of it was done',
  run_timeout: 'the run has used its time',
  cancelled: 'somebody cancelled it',
  config_invalid: 'the configuration is wrong; only at start',
  storage_unusable: 'the state folder or database cannot be used; only at start',
};

export const errorsTable = (): string =>
  table(
    ['code', 'HTTP', 'again later?', 'when'],
    (Object.keys(ERRORS) as ErrorCode[]).map((name) => [
      code(name),
      String(ERRORS[name].status),
      ERRORS[name].retryable ? 'yes' : 'no',
      WHEN[name],
    ]),
  );

const list = (words: readonly string[]): string => words.map(code).join(' ');
const KINDS: Record<EventKind, [states: string, about: string]> = {
  query: [list(QUERY_STATUSES), 'a query changed its status'],
  subagent: [list(SUBAGENT_STATES), 'a subagent moved; `data.ordinal` is its number in its role'],
  server: [
    list([
      ...['spawned', 'ready', 'reused', 'attached', 'stopping', 'stopped'],
      ...['crashed', 'failed_start', 'parked', 'unparked'],
    ]),
    'a role server; `data.pid`, `data.port`',
  ],
  output: [
    list(['text']),
    'a piece of model text in `data.text`; the only kind that may be thinned',
  ],
  tool: [list(['started', 'finished', 'failed']), 'a tool call; `data.name`, `data.duration_ms`'],
  notice: [
    list([
      ...[
        'steer_delivered',
        'steer_missed',
        'late_result',
        'background_left',
        'compacted',
        'schema_invalid',
      ],
      ...['prompt_changed', 'language_drift', 'memory_stored', 'memory_corrected', 'brain_note'],
      ...['budget_exceeded', 'budget_wait', 'fanout_estimate', 'resume_estimate'],
    ]),
    'something that changed no state but should be known',
  ],
  policy: [list(POLICY_NAMES), 'a resilience policy acted; `data.action`, `data.attempt`'],
  branch: ['', 'a decision to split a request; none is made yet'],
  review: [
    list(REVIEW_STATUSES),
    'something waits for a person, or no longer; `data.review_id`, `data.path`',
  ],
  security: [list(['spawn_refused']), 'something was refused; `data.rule` says by what'],
};
export const kindsTable = (): string =>
  table(
    ['kind', 'state', 'about'],
    Object.entries(KINDS).map(([kind, [states, about]]) => [code(kind), states, about]),
  );

type Operation = { summary: string; tags: string[] };
type Document = { tags: { name: string }[]; paths: Record<string, Record<string, Operation>> };

export async function routesTable(): Promise<string> {
  const { tags, paths } = (await openApiDocument('')) as Document;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const rows = tags.flatMap(({ name }) =>
    all
      .filter((route) => route.tags[0] === name)
      .map(({ method, path, summary }) => [code(`${method.toUpperCase()} ${path}`), summary]),
  );
  return table(['route', 'what it does'], rows);
}

export async function metricsTable(): Promise<string> {
  const text = await createMetrics('', createReaders(), () => []).text();
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map((m) => [m[1], m[2]]));
  const rows = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)].map(([, name = '', help = '']) => [
    code(name),
    types.get(name) ?? '',
    help,
  ]);
  return table(['metric', 'type', 'meaning'], rows);
}

export const policiesTable = (): string =>
  table(
    ['policy', 'set off by', 'tries again', 'what is done', 'until'],
    Object.values(POLICIES).map(({ name, trigger, max_retries, action, stop }) => [
      code(name),
      trigger,
      String(max_retries),
      action,
      stop,
    ]),
  );
