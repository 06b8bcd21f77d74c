// Events: JSON pages, or a live stream when the caller accepts text/event-stream; and the WebSocket.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { AppError } from '../../domain/errors.ts';
import { EVENT_KINDS, type EventFilter, type EventKind } from '../../domain/event.ts';
import { isOpenQuery, type QueryStatus } from '../../domain/query.ts';
import { isOutcome, type SubagentState } from '../../domain/subagent.ts';
import { isOpenTask } from '../../domain/task.ts';
import type { App, Http } from '../context.ts';
import { fails, other } from '../openapi.ts';
import { linkNext, PAGE_SIZE, pageOf, pageQuery } from '../page.ts';
import { afterQuery, cursorOf, placeOfCursor, positionOf } from '../position.ts';
import { ref } from '../shapes.ts';
import { type StreamEnd, streamEvents, wantsStream } from '../sse.ts';
import { createMessageReader, serveSocket } from '../websocket.ts';
import { queryParams } from './queries.ts';
import { taskParams } from './tasks.ts';

const tags = ['events'];
const name = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));
const kinds = Type.Optional(
  Type.String({ maxLength: 200, description: `Comma-separated: ${EVENT_KINDS.join(', ')}` }),
);
const pageAsk = Type.Object(
  { ...afterQuery, ...pageQuery, kinds },
  { additionalProperties: false },
);
const globalAsk = Type.Object(
  { ...pageAsk.properties, query_id: name, task_id: name, agent_id: name, role: name },
  { additionalProperties: false },
);
const lastEventId = Type.Object({
  'last-event-id': Type.Optional(Type.String({ description: 'Streams go on after it' })),
});
const answer = {
  200: {
    description: 'A page; or, with Accept: text/event-stream, a stream of frames (id is the seq)',
    content: {
      'application/json': { schema: pageOf(ref('Event')) },
      'text/event-stream': { schema: ref('StreamEvent') },
    },
  } as never,
};

function kindsOf(text: string | undefined): { kinds?: EventKind[] } {
  if (text === undefined) return {};
  const asked = text.split(',').map((kind) => kind.trim());
  const unknown = asked.filter((kind) => !(EVENT_KINDS as readonly string[]).includes(kind));
  if (unknown.length === 0) return { kinds: asked as EventKind[] };
  const message = `unknown kind ${unknown.join(', ')}; known: ${EVENT_KINDS.join(', ')}`;
  throw new AppError('bad_request', message, { errors: [{ path: 'kinds', message }] });
}

type Ask = Static<typeof pageAsk>;
async function answerEvents(
  http: Http,
  request: FastifyRequest,
  reply: FastifyReply,
  { ask, filter, end }: { ask: Ask; filter: EventFilter; end?: StreamEnd },
) {
  const { events } = http.services;
  const full = { ...filter, ...kindsOf(ask.kinds) };
  const header = request.headers['last-event-id'];
  if (wantsStream(request)) {
    const given = typeof header === 'string' ? header.trim() : (ask.after ?? ask.cursor ?? null);
    const after = await positionOf(given, events, full);
    return streamEvents(http, reply, { after, filter: full, ...(end && { end }) });
  }
  const after = await (ask.cursor === undefined
    ? positionOf(ask.after ?? null, events, full)
    : placeOfCursor(ask.cursor, events, full));
  const limit = ask.limit ?? PAGE_SIZE;
  const data = await events.after(after, full, limit);
  const last = data.length === limit ? data.at(-1) : undefined;
  const next = last ? await cursorOf(last.seq, events) : null;
  if (next) linkNext(request, reply, { cursor: next });
  return { data, next_cursor: next };
}

export function eventRoutes(app: App, http: Http): void {
  const { queries, tasks } = http.services;
  const route = { exposeHeadRoute: false };
  app.get(
    '/v1/events',
    {
      ...route,
      schema: {
        operationId: 'listEvents',
        summary: 'Everything that happens: a JSON page, or SSE by Accept',
        tags,
        headers: lastEventId,
        querystring: globalAsk,
        response: { ...answer, ...fails(410) },
      },
    },
    async (request, reply) => {
      const { after, limit, cursor, kinds: wanted, ...filter } = request.query;
      const ask = { after, limit, cursor, kinds: wanted } as Ask;
      return answerEvents(http, request, reply, { ask, filter: filter as EventFilter });
    },
  );

  app.get(
    '/v1/queries/:query_id/events',
    {
      ...route,
      schema: {
        operationId: 'listQueryEvents',
        summary: 'Events of one query; a stream ends with it',
        tags: ['queries', 'events'],
        headers: lastEventId,
        params: queryParams,
        querystring: pageAsk,
        response: { ...answer, ...fails(404) },
      },
    },
    async (request, reply) => {
      const { query_id } = await queries.get(request.params.query_id);
      const end: StreamEnd = {
        about: { query_id },
        mayEnd: ({ kind, state }) => kind === 'query' && !isOpenQuery(state as QueryStatus),
        async status() {
          const { status } = await queries.get(query_id);
          return isOpenQuery(status) ? null : status;
        },
      };
      return answerEvents(http, request, reply, { ask: request.query, filter: { query_id }, end });
    },
  );

  app.get(
    '/v1/tasks/:task_id/events',
    {
      ...route,
      schema: {
        operationId: 'listTaskEvents',
        summary: 'Events of one task; a stream ends with it',
        tags: ['tasks', 'events'],
        headers: lastEventId,
        params: taskParams,
        querystring: pageAsk,
        response: { ...answer, ...fails(404) },
      },
    },
    async (request, reply) => {
      const { task_id } = (await tasks.get(request.params.task_id)).task;
      const end: StreamEnd = {
        about: { task_id },
        mayEnd: ({ kind, state }) => kind === 'subagent' && isOutcome(state as SubagentState),
        // A failed attempt whose alternate is at work is not the end: the row says which it is.
        async status() {
          const { task } = await tasks.get(task_id);
          return isOpenTask(task.status) ? null : task.status;
        },
      };
      return answerEvents(http, request, reply, { ask: request.query, filter: { task_id }, end });
    },
  );
  socketRoute(app, http);
}

function socketRoute(app: App, http: Http): void {
  const read = createMessageReader();
  app.route({
    method: 'GET',
    url: '/v1/ws',
    exposeHeadRoute: false,
    config: { scope: 'first_message' },
    schema: {
      operationId: 'openWebSocket',
      summary: 'WebSocket, subprotocol troupe.v1: subscribe, unsubscribe, ping',
      tags,
      response: {
        101: other('Messages as in WebSocketClientMessage', 'application/json', ref('StreamEvent')),
        ...fails(),
      },
    },
    handler: async () => {
      throw new AppError(
        'bad_request',
        'this is a WebSocket: connect with ws:// and the subprotocol troupe.v1',
      );
    },
    wsHandler: (socket, request) => serveSocket(http, read, socket, request),
  });
}
