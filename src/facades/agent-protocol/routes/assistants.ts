// Assistants as clients look for them, and the same as the agents of the published protocol.
import Type, { type Static } from 'typebox';
import { AppError } from '../../../domain/errors.ts';
import type { Assistant } from '../assistants.ts';
import { type App, onlyOf, type Protocol, READ } from '../context.ts';
import { contains, pick } from '../filter.ts';

const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
};
const metadata = Type.Optional(Type.Record(Type.String(), Type.Unknown()));
const Search = Type.Object(
  {
    ...page,
    graph_id: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    metadata,
    sort_by: Type.Optional(
      Type.Union([
        ...['assistant_id', 'graph_id', 'name', 'created_at', 'updated_at'].map((key) =>
          Type.Literal(key),
        ),
      ]),
    ),
    sort_order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    select: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
);
type SearchAsk = Static<typeof Search>;

const MESSAGE = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: ['human', 'ai', 'system', 'tool'] },
    role: { type: 'string', enum: ['user', 'assistant', 'system', 'tool'] },
    content: { type: 'string' },
  },
  required: ['content'],
};
const MESSAGES = {
  type: 'object',
  properties: { messages: { type: 'array', items: MESSAGE } },
  required: ['messages'],
};
const ANY_OBJECT = { type: 'object', properties: {} };
const SCHEMAS = {
  input_schema: MESSAGES,
  output_schema: MESSAGES,
  state_schema: MESSAGES,
  config_schema: ANY_OBJECT,
  context_schema: ANY_OBJECT,
};

const agentOf = ({ name, description, metadata: more }: Assistant) => ({
  agent_id: name,
  name,
  description,
  metadata: more,
  capabilities: { 'ap.io.messages': true, 'ap.io.streaming': true },
});

const fixed = (what: string): never => {
  throw new AppError(
    'method_not_allowed',
    `assistants are the roles of this server; ${what} them in roles/<name>/role.toml or config.toml`,
  );
};

export function assistantRoutes(app: App, { assistants }: Protocol): void {
  const idOf = (params: unknown): string => (params as { id: string }).id;

  function search(ask: SearchAsk, only: string | null): Assistant[] {
    const found = assistants
      .list(only)
      .filter(
        (a) =>
          (ask.graph_id === undefined || a.graph_id === ask.graph_id || a.name === ask.graph_id) &&
          (ask.name === undefined || a.name.includes(ask.name)) &&
          contains(a.metadata, ask.metadata ?? {}),
      );
    const by = (ask.sort_by ?? 'created_at') as 'name';
    if (ask.sort_by) found.sort((a, b) => a[by].localeCompare(b[by]));
    return ask.sort_order === 'desc' ? found.reverse() : found;
  }

  app.post('/assistants/search', { ...READ, schema: { body: Search } }, async (request, reply) => {
    const ask = request.body as SearchAsk;
    const { limit = 10, offset = 0 } = ask;
    const all = search(ask, onlyOf(request));
    reply.header('x-pagination-total', String(all.length));
    if (offset + limit < all.length) reply.header('x-pagination-next', String(offset + limit));
    return all.slice(offset, offset + limit).map((a) => pick(a, ask.select));
  });
  app.post('/assistants/count', { ...READ, schema: { body: Search } }, async (request) => {
    return search(request.body as SearchAsk, onlyOf(request)).length;
  });
  app.get('/assistants/:id', async (request) =>
    assistants.find(idOf(request.params), onlyOf(request)),
  );
  app.get('/assistants/:id/schemas', async (request) => {
    const { graph_id } = assistants.find(idOf(request.params), onlyOf(request));
    return { graph_id, ...SCHEMAS };
  });
  app.get('/assistants/:id/graph', async (request) => {
    assistants.find(idOf(request.params), onlyOf(request));
    const node = (id: string) => ({ id, type: 'runnable', data: { id: [id], name: id } });
    return {
      nodes: ['__start__', 'agent', '__end__'].map(node),
      edges: [
        { source: '__start__', target: 'agent' },
        { source: 'agent', target: '__end__' },
      ],
    };
  });
  for (const path of ['/assistants/:id/subgraphs', '/assistants/:id/subgraphs/:namespace'])
    app.get(path, async (request) => {
      assistants.find(idOf(request.params), onlyOf(request));
      return {};
    });
  app.post('/assistants/:id/versions', READ, async (request) => [
    assistants.find(idOf(request.params), onlyOf(request)),
  ]);
  app.post('/assistants', async () => fixed('add'));
  app.patch('/assistants/:id', async () => fixed('change'));
  app.delete('/assistants/:id', async () => fixed('remove'));
  app.post('/assistants/:id/latest', async () => fixed('change'));

  const AgentSearch = Type.Object(
    { ...page, name: Type.Optional(Type.String()), metadata },
    { additionalProperties: false },
  );
  app.post('/agents/search', { ...READ, schema: { body: AgentSearch } }, async (request) => {
    const ask = request.body as Static<typeof AgentSearch>;
    const { limit = 10, offset = 0 } = ask;
    const all = search(ask, onlyOf(request)).map(agentOf);
    return all.slice(offset, offset + limit);
  });
  app.get('/agents/:id', async (request) =>
    agentOf(assistants.find(idOf(request.params), onlyOf(request))),
  );
  app.get('/agents/:id/schemas', async (request) => {
    const { name } = assistants.find(idOf(request.params), onlyOf(request));
    return { agent_id: name, ...SCHEMAS };
  });
}
