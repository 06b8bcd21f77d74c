// The OpenAPI 3.1 document of the native API, made from the schemas of the routes.
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import Type, { type TSchema } from 'typebox';
import { ref, SHAPES } from './shapes.ts';
import { ClientMessage } from './websocket.ts';

const TAGS: Record<string, string> = {
  queries: 'Requests to the main agent, and everything below them',
  tasks: 'Work handed to a role',
  subagents: 'Agents at work on tasks',
  servers: 'Processes that serve the roles',
  roles: 'Who can do what',
  reviews: 'The inbox: what waits for a person',
  memory: 'What is remembered beyond one request, and the shared notes within one',
  events: 'Everything that happens, in order',
  ops: 'Health, metrics, numbers',
};

const streamed = Type.Intersect([
  ref('Event'),
  Type.Object({
    prev_seq: Type.Integer({ description: 'seq of the event before it in this stream' }),
  }),
]);
const lastSeq = { last_seq: Type.Integer({ description: 'Reconnect after this one' }) };
/** Frames of a stream. In SSE the name is the `event:` field, over a WebSocket it is `type`. */
const STREAMS: Record<string, TSchema> = {
  StreamEvent: streamed,
  StreamEnd: Type.Object(
    { status: Type.String(), ...lastSeq },
    { description: 'event: end. The query or task has ended and everything was sent.' },
  ),
  StreamResync: Type.Object(lastSeq, {
    description:
      'event: resync. The reader was too slow, or what it was to get next has been removed; the stream closes.',
  }),
  StreamShutdown: Type.Object(
    { retry_ms: Type.Integer() },
    { description: 'event: shutdown. The server goes; reconnect with Last-Event-ID.' },
  ),
  WebSocketClientMessage: ClientMessage,
};

export const openApiOptions = (version: string): FastifyDynamicSwaggerOptions => ({
  // What others mount has documents of its own: only tagged routes are in this one.
  hideUntagged: true,
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Troupe',
      version,
      description:
        'Native API of a Troupe server. Errors are RFC 9457 problem documents; lists are cursor pages; what takes time answers 202 with a Location.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{}, { bearer: [] }, { api_key: [] }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        api_key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
      // Plain copies: the plugin works on what it is given.
      schemas: JSON.parse(JSON.stringify({ ...SHAPES, ...STREAMS })),
    },
  },
});

type Paths = Record<string, Record<string, { parameters?: { name: string }[] }>>;
/** The document of an app that is ready. The router's `*` gets the name that readers know. */
export function documentOf(app: { swagger(): object }): object {
  const made = app.swagger() as { paths: Paths };
  const paths: Paths = {};
  for (const [path, operations] of Object.entries(made.paths)) {
    paths[path.replace('{*}', '{path}')] = operations;
    for (const { parameters } of Object.values(operations))
      for (const parameter of parameters ?? []) if (parameter.name === '*') parameter.name = 'path';
  }
  return { ...made, paths };
}

/** A JSON answer of a route, for `response`. */
export const json = (description: string, schema: TSchema): TSchema =>
  ({ description, content: { 'application/json': { schema } } }) as unknown as TSchema;
export const other = (description: string, type: string, schema: TSchema): TSchema =>
  ({ description, content: { [type]: { schema } } }) as unknown as TSchema;

const WORDS: Record<number, string> = {
  400: 'The request is not one: errors names each fault',
  401: 'No API key, or an unknown one',
  403: 'The key lacks the scope, or a page from elsewhere calls',
  404: 'There is no such thing',
  409: 'Not in this state; the detail says which it is',
  410: 'Removed for its age; the data says from where on there is everything',
  413: 'The body is too large',
  415: 'Not JSON',
  421: 'Not a host that this server answers to',
  422: 'Understood, but refused',
  429: 'No room now; see Retry-After',
  500: 'Our fault; the log has more under request_id',
  503: 'Not now; see Retry-After',
  507: 'The disk is full',
};
const PROBLEM = { 'application/problem+json': { schema: ref('Problem') } };
/** The problem documents of a route: those that any route can answer, and its own. */
export const fails = (...own: number[]): Record<number, TSchema> =>
  Object.fromEntries(
    [400, 401, 403, 421, 500, 503, ...own].map((status) => [
      status,
      { description: WORDS[status] ?? 'Refused', content: PROBLEM } as unknown as TSchema,
    ]),
  );
/** Statuses that whatever changes something can answer beside the common ones. */
export const REFUSED = [409, 413, 415, 422, 429, 507];

export const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description: 'The same key and body again: the same answer, no second piece of work',
    }),
  ),
});
export const acceptHeaders = Type.Object({
  ...idempotencyHeader.properties,
  prefer: Type.Optional(
    Type.String({ description: 'wait=N: wait up to N seconds (60) for the end' }),
  ),
});
