// Runs on a thread and without one: started, followed, cancelled.
import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { AppError } from '../../../domain/errors.ts';
import { type ProtocolRun, RUN_STATUSES, type RunStatus } from '../../../domain/protocol.ts';
import {
  type App,
  isSet,
  listOf,
  onlyOf,
  type Protocol,
  paramsOf,
  READ,
  runOf,
  tellWhere,
  threadOf,
} from '../context.ts';
import { contains, pick } from '../filter.ts';
import type { Json } from '../messages.ts';
import { modesOf, type RunAsk, RunBody } from '../run-request.ts';
import type { CancelAction } from '../runs.ts';
import { modesIn, tellEnd, tellRun } from '../tell.ts';

const BODY = { schema: { body: RunBody } };
const BATCH = 100;
const PAGE = 200;
const SCANNED = 10_000;
/** The JavaScript client sends the fields of a batch in its own spelling beside the one of the protocol. */
const snake = (key: string): string => key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
const snakeKeys = (given: Json): Json =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [snake(key), value]));

export function actionIn(request: FastifyRequest): CancelAction {
  const { action = 'interrupt' } = request.query as { action?: string };
  if (action === 'interrupt' || action === 'rollback') return action;
  throw new AppError('bad_request', `action "${action}" is not known; known: interrupt, rollback`);
}

export function createRun(
  { runs, assistants }: Protocol,
  request: FastifyRequest,
  ask: RunAsk,
): Promise<{ run: ProtocolRun }> {
  const name = ask.assistant_id ?? ask.agent_id ?? onlyOf(request);
  if (!name) throw new AppError('bad_request', 'assistant_id is missing: which role is to run?');
  const assistant = assistants.find(name, onlyOf(request));
  const { thread_id } = paramsOf(request);
  // An answer is a decision: the key that gives it must be one that may decide.
  const scopes = request.api_key?.scopes ?? ['admin'];
  const decides = ask.command?.resume !== undefined;
  if (decides && !scopes.includes('approve') && !scopes.includes('admin'))
    throw new AppError(
      'forbidden',
      'this key may not answer questions: it needs the scope approve',
    );
  return runs.create(thread_id ?? ask.thread_id ?? null, assistant.name, ask);
}

export function runRoutes(app: App, protocol: Protocol): void {
  const { runs } = protocol;
  for (const base of ['/threads/:thread_id/runs', '/runs']) {
    app.post(base, BODY, async (request, reply) => {
      const { run } = await createRun(protocol, request, request.body as RunAsk);
      tellWhere(reply, run);
      return runs.view(run);
    });
    app.post(`${base}/stream`, BODY, async (request, reply) => {
      const ask = request.body as RunAsk;
      const { run } = await createRun(protocol, request, ask);
      tellWhere(reply, run, true);
      const modes = modesOf(ask.stream_mode);
      const cancel = ask.on_disconnect === 'cancel';
      return tellRun(protocol, request, reply, run, { cancel, modes });
    });
    app.get(`${base}/:run_id`, async (request) => runs.view(await runOf(protocol, request)));
    app.delete(`${base}/:run_id`, async (request, reply) => {
      await runs.remove(await runOf(protocol, request));
      return reply.code(204).send();
    });
    app.get(`${base}/:run_id/stream`, async (request, reply) => {
      const run = await runOf(protocol, request);
      const { cancel_on_disconnect } = request.query as Json;
      tellWhere(reply, run, true);
      const ask = { cancel: isSet(cancel_on_disconnect), modes: modesIn(request) };
      return tellRun(protocol, request, reply, run, ask);
    });
    app.get(`${base}/:run_id/join`, async (request, reply) => {
      const run = await runOf(protocol, request);
      const { cancel_on_disconnect } = request.query as Json;
      return tellEnd(protocol, reply, run, { cancel: isSet(cancel_on_disconnect) });
    });
    app.post(`${base}/:run_id/cancel`, async (request, reply) => {
      const run = await runOf(protocol, request);
      const { wait, reason } = request.query as Json;
      const why = typeof reason === 'string' ? reason.slice(0, 500) : 'cancelled by its caller';
      const cancel = (): Promise<void> => runs.cancel(run, actionIn(request), why);
      // One that has ended is refused at once; any other is stopped while the caller goes on.
      if (isSet(wait) || !(await runs.look(run)).open) {
        await cancel();
        return reply.code(204).send();
      }
      cancel().catch((error: unknown) =>
        protocol.deps.log.debug({ err: error, run_id: run.run_id }, 'a run was not cancelled'),
      );
      return reply.code(202).send({});
    });
  }
  app.post('/threads/:thread_id/runs/wait', BODY, async (request, reply) => {
    const ask = request.body as RunAsk;
    const { run } = await createRun(protocol, request, ask);
    tellWhere(reply, run);
    return tellEnd(protocol, reply, run, { cancel: ask.on_disconnect === 'cancel' });
  });
  app.get('/threads/:thread_id/runs', async (request) => {
    const { thread_id } = await threadOf(protocol, request);
    const { limit = '10', offset = '0', status, select } = request.query as Record<string, string>;
    if (status !== undefined && !(RUN_STATUSES as readonly string[]).includes(status))
      throw new AppError(
        'bad_request',
        `status "${status}" is not known; known: ${RUN_STATUSES.join(', ')}`,
      );
    const from = Math.max(Number.parseInt(offset, 10) || 0, 0);
    const most = Math.min(Math.max(Number.parseInt(limit, 10) || 10, 1), 1_000);
    const found = await runs.list(thread_id, status as RunStatus | undefined);
    const views = await Promise.all(found.slice(from, from + most).map(runs.view));
    return views.map((view) => pick(view, listOf(select)));
  });
  manyRoutes(app, protocol);
}

const CancelMany = Type.Object(
  {
    thread_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    run_ids: Type.Optional(
      Type.Union([Type.Array(Type.String(), { maxItems: 1_000 }), Type.Null()]),
    ),
    status: Type.Optional(
      Type.Union([
        ...[Type.Literal('pending'), Type.Literal('running'), Type.Literal('all')],
        Type.Null(),
      ]),
    ),
  },
  { additionalProperties: false },
);
const Search = Type.Object(
  {
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    status: Type.Optional(Type.Union(RUN_STATUSES.map((word) => Type.Literal(word)))),
    thread_id: Type.Optional(Type.String()),
    agent_id: Type.Optional(Type.String()),
    assistant_id: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  },
  { additionalProperties: false },
);

function manyRoutes(app: App, protocol: Protocol): void {
  const { runs, assistants, deps } = protocol;
  const reads = deps.store.reads.protocol;

  app.post('/runs/batch', async (request) => {
    const given = request.body;
    if (!Array.isArray(given) || given.length === 0 || given.length > BATCH)
      throw new AppError('bad_request', `a batch is a list of 1 to ${BATCH} runs`);
    // All are looked at before the first is started.
    const asks = (given as Json[]).map((one) => readAsk(snakeKeys(one)));
    for (const ask of asks)
      assistants.find(ask.assistant_id ?? ask.agent_id ?? '', onlyOf(request));
    const made = [];
    for (const ask of asks)
      made.push(await runs.view((await createRun(protocol, request, ask)).run));
    return made;
  });
  function readAsk(one: Json): RunAsk {
    const unknown = Object.keys(one).filter((key) => !(key in RunBody.properties));
    if (unknown.length === 0) return one as RunAsk;
    throw new AppError('bad_request', `a run does not have: ${unknown.join(', ')}`);
  }

  app.post('/runs/cancel', { schema: { body: CancelMany } }, async (request, reply) => {
    const { thread_id, run_ids, status } = request.body as Static<typeof CancelMany>;
    if (!status && !(thread_id && run_ids))
      throw new AppError('bad_request', 'give thread_id and run_ids, or status');
    const action = actionIn(request);
    const wanted: ProtocolRun[] = [];
    for (const id of run_ids ?? []) wanted.push(await runs.find(id, thread_id ?? undefined));
    for (const run of status ? await reads.openRuns() : []) {
      const look = await runs.look(run);
      if (thread_id && run.thread_id !== thread_id) continue;
      if (look.open && (status === 'all' || look.status === status)) wanted.push(run);
    }
    const results = await Promise.allSettled(
      wanted.map((run) => runs.cancel(run, action, 'cancelled by its caller')),
    );
    const refused = results.find((r) => r.status === 'rejected');
    if (refused && results.length === 1) throw refused.reason;
    return reply.code(204).send();
  });

  app.post('/runs/search', { ...READ, schema: { body: Search } }, async (request) => {
    const ask = request.body as Static<typeof Search>;
    const { limit = 10, offset = 0 } = ask;
    const agent = ask.agent_id ?? ask.assistant_id;
    const assistant =
      agent === undefined ? undefined : assistants.find(agent, onlyOf(request)).name;
    const fits = async (run: ProtocolRun): Promise<boolean> =>
      (ask.thread_id === undefined || run.thread_id === ask.thread_id) &&
      (assistant === undefined || run.assistant === assistant) &&
      contains(run.metadata, ask.metadata ?? {}) &&
      (ask.status === undefined || (await runs.look(run)).status === ask.status);
    const found: ProtocolRun[] = [];
    for (let from = 0; from < SCANNED && found.length < offset + limit; from += PAGE) {
      const page = await reads.runs(PAGE, from);
      for (const run of page) if (await fits(run)) found.push(run);
      if (page.length < PAGE) break;
    }
    return Promise.all(found.slice(offset, offset + limit).map(runs.view));
  });

  // The published protocol wants the run beside its values; the LangGraph client the bare values.
  const withRun = async (answer: Json, run: ProtocolRun): Promise<Json> => {
    const row = await reads.run(run.run_id);
    const { messages, ...values } = answer;
    return { run: await runs.view(row ?? run), values: { ...values, messages }, messages };
  };
  app.post('/runs/wait', BODY, async (request, reply) => {
    const ask = request.body as RunAsk;
    const { run } = await createRun(protocol, request, ask);
    tellWhere(reply, run);
    const cancel = ask.on_disconnect === 'cancel';
    return tellEnd(protocol, reply, run, ask.agent_id ? { cancel, shape: withRun } : { cancel });
  });
  app.get('/runs/:run_id/wait', async (request, reply) =>
    tellEnd(protocol, reply, await runOf(protocol, request), { cancel: false, shape: withRun }),
  );
}
