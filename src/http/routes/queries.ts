// /v1/queries: ask the main agent, look, wait, follow up, cancel.
import Type from 'typebox';
import { BRANCH_MODES, isOpenQuery, QUERY_STATUSES, type Query } from '../../domain/query.ts';
import { accept } from '../accept.ts';
import type { App, Http } from '../context.ts';
import { acceptHeaders, fails, json, REFUSED } from '../openapi.ts';
import { askOf, given, pageOf, pageQuery, sendPage } from '../page.ts';
import { hangUp } from '../prefer.ts';
import { ref } from '../shapes.ts';
import { reviewMode } from '../shapes-review.ts';
import { queryView } from '../views.ts';

const strict = { additionalProperties: false };
const tags = ['queries'];
export const queryParams = Type.Object({ query_id: Type.String({ minLength: 1, maxLength: 128 }) });
const visible = { minLength: 1, pattern: '\\S' };

const newQuery = Type.Object(
  {
    input: Type.String({ ...visible, description: 'The request, in any language' }),
    model: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'provider:model, echo or offline' }),
    ),
    workdir: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_096,
        description: 'Inside a workspace root; else new',
      }),
    ),
    review: Type.Optional(reviewMode),
    branch: Type.Optional(
      Type.Enum([...BRANCH_MODES], {
        description: 'Whether the main agent splits the request by itself; else as configured',
      }),
    ),
    background: Type.Optional(Type.Boolean({ description: 'May end before its tasks have' })),
    max_tokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000_000,
        description: 'Most tokens of the whole tree; not above [limits] tree_tokens',
      }),
    ),
    max_usd: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        description: 'Most USD of the whole tree; not above [limits] tree_usd',
      }),
    ),
    project: Type.Optional(
      Type.String({
        ...visible,
        maxLength: 512,
        description: 'Whose memory it has: a name; else the named workdir, else "default"',
      }),
    ),
  },
  { ...strict, examples: [{ input: 'Build a small todo REST API with tests' }] },
);
const viewOf = (http: Http) => (query: Query) => queryView(query, http.services.reviews.waitingFor);
const locationOf = (query: { query_id: string }): string => `/v1/queries/${query.query_id}`;

export function queryRoutes(app: App, http: Http): void {
  const { queries } = http.services;
  const view = viewOf(http);
  const waiting = {
    view,
    location: locationOf,
    wait: ({ query_id }: { query_id: string }, ms: number, signal: AbortSignal) =>
      queries.wait(query_id, ms, signal),
    read: async ({ query_id }: { query_id: string }) => view(await queries.get(query_id)),
    ended: (query: ReturnType<typeof queryView>) => !isOpenQuery(query.status),
  };

  app.post(
    '/v1/queries',
    {
      schema: {
        operationId: 'createQuery',
        summary: 'Ask the main agent',
        tags,
        headers: acceptHeaders,
        body: newQuery,
        response: {
          200: json('It ended while the caller waited', ref('Query')),
          202: json('Accepted; Location names it', ref('Query')),
          ...fails(...REFUSED),
        },
      },
    },
    (request, reply) => {
      const { input, workdir, ...options } = request.body;
      const query = given({ input, workdir });
      return accept(http, request, reply, {
        ...waiting,
        work: (also) => queries.create(query, given(options), also),
      });
    },
  );

  app.get(
    '/v1/queries',
    {
      schema: {
        operationId: 'listQueries',
        summary: 'Queries, newest first',
        tags,
        querystring: Type.Object(
          {
            ...pageQuery,
            status: Type.Optional(Type.Enum([...QUERY_STATUSES])),
            kind: Type.Optional(Type.Enum(['agent', 'direct'])),
          },
          strict,
        ),
        response: { 200: json('A page', pageOf(ref('Query'))), ...fails() },
      },
    },
    async (request, reply) => {
      const { limit, cursor, ...filter } = request.query;
      const page = await queries.list({ ...askOf(limit, cursor), ...given(filter) });
      return sendPage(request, reply, page, view);
    },
  );

  app.get(
    '/v1/queries/:query_id',
    {
      schema: {
        operationId: 'getQuery',
        summary: 'A query; wait_ms waits for its end',
        tags,
        params: queryParams,
        querystring: Type.Object(
          { wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: http.limits.wait_ms })) },
          strict,
        ),
        response: { 200: json('As it is now', ref('Query')), ...fails(404) },
      },
    },
    async (request, reply) => {
      const now = await queries.get(request.params.query_id);
      const ms = request.query.wait_ms ?? 0;
      if (ms === 0 || !isOpenQuery(now.status)) return view(now);
      await queries.wait(now.query_id, ms, hangUp(reply, http.closing));
      return view(await queries.get(now.query_id));
    },
  );

  app.post(
    '/v1/queries/:query_id/messages',
    {
      schema: {
        operationId: 'messageQuery',
        summary: 'Follow up: steers a running query, starts a new turn of an ended one',
        tags,
        headers: acceptHeaders,
        params: queryParams,
        body: Type.Object(
          { text: Type.String({ ...visible }) },
          { ...strict, examples: [{ text: 'Now add a test' }] },
        ),
        response: {
          200: json('It ended while the caller waited', ref('Query')),
          202: json('Accepted', ref('Query')),
          ...fails(404, ...REFUSED),
        },
      },
    },
    (request, reply) =>
      accept(http, request, reply, {
        ...waiting,
        work: () => queries.message(request.params.query_id, request.body.text),
      }),
  );
  queryEndings(app, http);
}

function queryEndings(app: App, http: Http): void {
  const { queries } = http.services;
  app.post(
    '/v1/queries/:query_id/cancel',
    {
      schema: {
        operationId: 'cancelQuery',
        summary: 'Stop a query and everything below it',
        tags,
        params: queryParams,
        body: Type.Object(
          { reason: Type.Optional(Type.String({ maxLength: 2_000 })) },
          { ...strict, examples: [{ reason: 'no longer needed' }] },
        ),
        response: { 200: json('It has stopped', ref('Query')), ...fails(404, 409, 413, 415) },
      },
    },
    async (request) =>
      viewOf(http)(
        await queries.cancel(
          request.params.query_id,
          request.body.reason ?? 'cancelled by the API',
        ),
      ),
  );

  app.get(
    '/v1/queries/:query_id/tree',
    {
      schema: {
        operationId: 'getQueryTree',
        summary: 'The query, its tasks and theirs, with status and cost',
        tags,
        params: queryParams,
        response: { 200: json('The root', ref('TreeNode')), ...fails(404) },
      },
    },
    (request) => queries.tree(request.params.query_id),
  );

  app.get(
    '/v1/queries/:query_id/result',
    {
      schema: {
        operationId: 'getQueryResult',
        summary: 'What came of it',
        tags,
        params: queryParams,
        response: {
          200: json('The result', Type.Record(Type.String(), Type.Unknown())),
          ...fails(404, 409),
        },
      },
    },
    (request) => queries.result(request.params.query_id),
  );
}
