// Threads, their state and their history.
import Type, { type Static } from 'typebox';
import { AppError } from '../../../domain/errors.ts';
import { THREAD_STATUSES } from '../../../domain/protocol.ts';
import { type App, listOf, type Protocol, paramsOf, READ, threadOf } from '../context.ts';
import { contains, pick } from '../filter.ts';
import type { Json } from '../messages.ts';
import { modesIn, tellThread } from '../tell.ts';

const Optional = Type.Optional;
const record = Type.Record(Type.String(), Type.Unknown());
const strict = { additionalProperties: false };
const Create = Type.Object(
  {
    thread_id: Optional(Type.String()),
    metadata: Optional(Type.Union([record, Type.Null()])),
    if_exists: Optional(Type.Union([Type.Literal('raise'), Type.Literal('do_nothing')])),
    supersteps: Optional(Type.Unknown()),
    ttl: Optional(Type.Unknown()),
  },
  strict,
);
const Patch = Type.Object(
  {
    metadata: Optional(record),
    values: Optional(record),
    messages: Optional(Type.Unknown()),
    checkpoint: Optional(Type.Unknown()),
    ttl: Optional(Type.Unknown()),
  },
  strict,
);
const Search = Type.Object(
  {
    metadata: Optional(record),
    values: Optional(record),
    ids: Optional(Type.Array(Type.String(), { maxItems: 1_000 })),
    status: Optional(Type.Union(THREAD_STATUSES.map((word) => Type.Literal(word)))),
    limit: Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    offset: Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
    sort_by: Optional(
      Type.Union(
        (['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at'] as const).map(
          (word) => Type.Literal(word),
        ),
      ),
    ),
    sort_order: Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    select: Optional(Type.Array(Type.String())),
    extract: Optional(Type.Unknown()),
  },
  strict,
);
const StateUpdate = Type.Object(
  {
    values: Optional(Type.Unknown()),
    checkpoint: Optional(Type.Unknown()),
    checkpoint_id: Optional(Type.Unknown()),
    as_node: Optional(Type.Unknown()),
  },
  strict,
);
const AtCheckpoint = Type.Object(
  {
    checkpoint: record,
    subgraphs: Optional(Type.Unknown()),
    select: Optional(Type.Array(Type.String())),
  },
  strict,
);
const History = Type.Object(
  {
    limit: Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    before: Optional(Type.Unknown()),
    metadata: Optional(record),
    checkpoint: Optional(Type.Unknown()),
    select: Optional(Type.Array(Type.String())),
  },
  strict,
);
const Prune = Type.Object(
  {
    thread_ids: Type.Array(Type.String(), { maxItems: 1_000 }),
    strategy: Optional(Type.Union([Type.Literal('delete'), Type.Literal('keep_latest')])),
  },
  strict,
);

const refuseGiven = (given: Json, ...keys: string[]): void => {
  for (const key of keys) {
    const value = given[key];
    if (value === undefined || value === null) continue;
    throw new AppError('bad_request', `${key} is not offered for threads here; leave it out`);
  }
};
/** A checkpoint by its id, or the object that holds it. */
const checkpointIn = (given: unknown): string | null => {
  if (given === undefined || given === null) return null;
  if (typeof given === 'string') return given;
  const { checkpoint_id, configurable } = given as Record<string, unknown>;
  if (typeof checkpoint_id === 'string') return checkpoint_id;
  return configurable ? checkpointIn(configurable) : null;
};

export function threadRoutes(app: App, protocol: Protocol): void {
  const { threads } = protocol;

  app.post('/threads', { schema: { body: Create } }, async (request) => {
    const ask = request.body as Static<typeof Create>;
    refuseGiven(ask, 'supersteps', 'ttl');
    const made = await threads.create({ ...ask, metadata: (ask.metadata ?? {}) as Json });
    return threads.view(made);
  });
  app.post('/threads/search', { ...READ, schema: { body: Search } }, async (request) => {
    const ask = request.body as Static<typeof Search>;
    refuseGiven(ask, 'extract');
    const { limit = 10, offset = 0, sort_by, sort_order, select } = ask;
    const most = sort_by ? 10_000 : offset + limit;
    const views: Json[] = [];
    for (const thread of await threads.search(ask, most)) views.push(await threads.view(thread));
    if (sort_by) views.sort((a, b) => String(a[sort_by]).localeCompare(String(b[sort_by])));
    // Without a wish the newest come first.
    if (sort_by ? sort_order !== 'asc' : sort_order === 'asc') views.reverse();
    return views.slice(offset, offset + limit).map((view) => pick(view, select));
  });
  app.post('/threads/count', { ...READ, schema: { body: Search } }, async (request) => {
    return (await threads.search(request.body as Static<typeof Search>, 10_000)).length;
  });
  app.post('/threads/prune', { schema: { body: Prune } }, async (request) => {
    const { thread_ids, strategy } = request.body as Static<typeof Prune>;
    if (strategy === 'keep_latest')
      throw new AppError('bad_request', 'strategy "keep_latest" is not offered; offered: delete');
    let pruned_count = 0;
    for (const id of thread_ids) {
      const thread = await threads.find(id).catch(() => null);
      if (!thread) continue;
      await protocol.remove(thread);
      pruned_count += 1;
    }
    return { pruned_count };
  });
  app.get('/threads/:thread_id', async (request) =>
    threads.view(await threadOf(protocol, request)),
  );
  app.patch('/threads/:thread_id', { schema: { body: Patch } }, async (request, reply) => {
    const thread = await threadOf(protocol, request);
    const { metadata, values, messages, ...rest } = request.body as Static<typeof Patch>;
    refuseGiven(rest, 'ttl', 'checkpoint');
    if (values || messages)
      await threads.update(thread, { ...values, ...(messages ? { messages } : {}) });
    const after = await threads.patch(thread, metadata ?? {});
    if (/\breturn=minimal\b/.test(String(request.headers.prefer ?? '')))
      return reply.code(204).send();
    return threads.view(after);
  });
  app.delete('/threads/:thread_id', async (request, reply) => {
    await protocol.remove(await threadOf(protocol, request));
    return reply.code(204).send();
  });
  app.post('/threads/:thread_id/copy', async (request) =>
    threads.view(await threads.copy(await threadOf(protocol, request))),
  );
  app.get('/threads/:thread_id/stream', async (request, reply) => {
    const thread = await threadOf(protocol, request);
    return tellThread(protocol, request, reply, thread.thread_id, modesIn(request));
  });
  stateRoutes(app, protocol);
}

function stateRoutes(app: App, protocol: Protocol): void {
  const { threads } = protocol;
  const { states } = threads;
  const selectOf = (query: unknown) => listOf((query as { select?: unknown }).select);

  async function one(request: Parameters<typeof threadOf>[1], id: string): Promise<Json> {
    const thread = await threadOf(protocol, request);
    const found = await states.one(thread, id, await threads.standOf(thread));
    if (found) return found;
    throw new AppError(
      'not_found',
      `thread ${thread.thread_id} has no checkpoint ${id.slice(0, 100)}`,
    );
  }
  async function history(request: Parameters<typeof threadOf>[1], ask: Static<typeof History>) {
    const thread = await threadOf(protocol, request);
    const { limit = 10, before, checkpoint, metadata, select } = ask;
    const at = { limit, before: checkpointIn(before) ?? checkpointIn(checkpoint) };
    const found = await states.history(thread, at, await threads.standOf(thread));
    return found
      .filter((state) => contains(state.metadata, metadata ?? {}))
      .map((state) => pick(state, select));
  }

  app.get('/threads/:thread_id/state', async (request) => {
    const thread = await threadOf(protocol, request);
    const state = await states.latest(thread, await threads.standOf(thread));
    return pick(state, selectOf(request.query));
  });
  app.get('/threads/:thread_id/state/:checkpoint_id', async (request) => {
    const { checkpoint_id } = paramsOf(request) as { checkpoint_id: string };
    return pick(await one(request, checkpoint_id), selectOf(request.query));
  });
  const at = { ...READ, schema: { body: AtCheckpoint } };
  app.post('/threads/:thread_id/state/checkpoint', at, async (request) => {
    const { checkpoint, select } = request.body as Static<typeof AtCheckpoint>;
    return pick(await one(request, checkpointIn(checkpoint) ?? ''), select);
  });
  app.post('/threads/:thread_id/state', { schema: { body: StateUpdate } }, async (request) => {
    const thread = await threadOf(protocol, request);
    const { values, checkpoint, checkpoint_id } = request.body as Static<typeof StateUpdate>;
    const latest = await states.latest(thread, await threads.standOf(thread));
    const base = checkpointIn(checkpoint) ?? checkpointIn(checkpoint_id);
    if (base !== null && base !== latest.checkpoint.checkpoint_id)
      throw new AppError('bad_request', 'only the latest checkpoint of a thread can be built upon');
    await threads.update(thread, values);
    const after = await states.latest(thread, await threads.standOf(thread));
    return { checkpoint: after.checkpoint, configurable: after.checkpoint };
  });
  const patch = { schema: { body: Type.Object({ metadata: record }, strict) } };
  app.patch('/threads/:thread_id/state', patch, async (request) => {
    const { metadata } = request.body as { metadata: Json };
    await threads.patch(await threadOf(protocol, request), metadata);
    return [];
  });
  app.post('/threads/:thread_id/history', { ...READ, schema: { body: History } }, (request) =>
    history(request, request.body as Static<typeof History>),
  );
  app.get('/threads/:thread_id/history', async (request) => {
    const { limit = '10', before } = request.query as { limit?: string; before?: string };
    const most = Math.min(Math.max(Number.parseInt(limit, 10) || 10, 1), 1_000);
    return history(request, { limit: most, before });
  });
}
