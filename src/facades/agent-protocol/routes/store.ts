// The store: items by namespace and key, for callers that keep something between their runs.
import Type, { type Static } from 'typebox';
import { AppError } from '../../../domain/errors.ts';
import type { StoreItem } from '../../../domain/protocol.ts';
import type { App, Protocol } from '../context.ts';
import { READ } from '../context.ts';
import { passes } from '../filter.ts';
import type { Json } from '../messages.ts';

const Optional = Type.Optional;
const strict = { additionalProperties: false };
const Namespace = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 32 });
const record = Type.Record(Type.String(), Type.Unknown());
const page = {
  limit: Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  offset: Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
};
const Key = Type.String({ minLength: 1, maxLength: 1_024 });
const Put = Type.Object(
  {
    namespace: Namespace,
    key: Key,
    value: record,
    index: Optional(Type.Unknown()),
    ttl: Optional(Type.Union([Type.Number({ minimum: 0, maximum: 5_256_000 }), Type.Null()])),
  },
  strict,
);
const Which = Type.Object({ namespace: Namespace, key: Key }, strict);
const Search = Type.Object(
  {
    ...page,
    namespace_prefix: Optional(Type.Union([Namespace, Type.Null()])),
    filter: Optional(Type.Union([record, Type.Null()])),
    query: Optional(Type.Union([Type.String(), Type.Null()])),
    refresh_ttl: Optional(Type.Unknown()),
  },
  strict,
);
const Namespaces = Type.Object(
  {
    ...page,
    prefix: Optional(Type.Union([Namespace, Type.Null()])),
    suffix: Optional(Type.Union([Namespace, Type.Null()])),
    max_depth: Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 32 }), Type.Null()])),
  },
  strict,
);

const view = ({ namespace, key, value, created_at, updated_at }: StoreItem): Json => ({
  namespace,
  key,
  value,
  created_at,
  updated_at,
});
/** Items that one search looks at, at most. */
const SCANNED = 10_000;
const PAGE = 500;

export function storeRoutes(app: App, { deps }: Protocol): void {
  const { store, clock } = deps;
  const reads = store.reads.protocol;
  const now = (): string => clock.now().toISOString();
  const isThere = (item: StoreItem | null): item is StoreItem =>
    item !== null && (item.expires_at === null || item.expires_at > now());

  app.put('/store/items', { schema: { body: Put } }, async (request, reply) => {
    const { namespace, key, value, index, ttl } = request.body as Static<typeof Put>;
    if (index !== undefined && index !== null && index !== false)
      throw new AppError(
        'bad_request',
        'index is not offered: items are found by namespace and filter',
      );
    const expires_at =
      typeof ttl === 'number' ? new Date(clock.now().getTime() + ttl * 60_000).toISOString() : null;
    await store.tx(async (t) => {
      await t.protocol.pruneItems(t.at);
      const row = { namespace, key, value, expires_at, created_at: t.at, updated_at: t.at };
      await t.protocol.putItem(row);
    });
    return reply.code(204).send();
  });
  app.get('/store/items', async (request) => {
    const { namespace, key } = request.query as { namespace?: string | string[]; key?: string };
    const list = Array.isArray(namespace)
      ? namespace
      : (namespace ?? '').split('.').filter(Boolean);
    const item = await reads.item(list, key ?? '');
    if (isThere(item)) return view(item);
    throw new AppError('not_found', `no item "${key ?? ''}" in ${list.join('.') || 'the root'}`);
  });
  app.delete('/store/items', { schema: { body: Which } }, async (request, reply) => {
    const { namespace, key } = request.body as Static<typeof Which>;
    await store.tx((t) => t.protocol.removeItem(namespace, key));
    return reply.code(204).send();
  });
  app.post('/store/items/search', { ...READ, schema: { body: Search } }, async (request) => {
    const ask = request.body as Static<typeof Search>;
    if (ask.query)
      throw new AppError(
        'bad_request',
        'query is not offered: items are found by namespace and filter',
      );
    const { limit = 10, offset = 0 } = ask;
    const found: StoreItem[] = [];
    for (let from = 0; from < SCANNED && found.length < offset + limit; from += PAGE) {
      const rows = await reads.items(ask.namespace_prefix ?? [], PAGE, from);
      for (const item of rows)
        if (isThere(item) && passes(item.value, (ask.filter ?? {}) as Json)) found.push(item);
      if (rows.length < PAGE) break;
    }
    return { items: found.slice(offset, offset + limit).map(view) };
  });
  app.post('/store/namespaces', { ...READ, schema: { body: Namespaces } }, async (request) => {
    const ask = request.body as Static<typeof Namespaces>;
    const { limit = 100, offset = 0, suffix, max_depth } = ask;
    const all = (await reads.namespaces(ask.prefix ?? []))
      .filter((n) => !suffix || JSON.stringify(n.slice(-suffix.length)) === JSON.stringify(suffix))
      .map((n) => JSON.stringify(max_depth ? n.slice(0, max_depth) : n));
    const namespaces = [...new Set(all)].map((text) => JSON.parse(text) as string[]);
    return { namespaces: namespaces.slice(offset, offset + limit) };
  });
}
