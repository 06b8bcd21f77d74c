// /v1/memory: what is remembered beyond one request. Look, search, add, correct, and how a record came to be.
import Type from 'typebox';
import { AppError } from '../../domain/errors.ts';
import {
  DEFAULT_PROJECT,
  type Layer,
  layerOf,
  MEMORY_LIMITS,
  MEMORY_STATUSES,
  type MemoryRecord,
  unknownLayer,
} from '../../domain/memory.ts';
import type { App, Http } from '../context.ts';
import { once } from '../idempotency.ts';
import { fails, idempotencyHeader, json } from '../openapi.ts';
import { askOf, given, PAGE_SIZE, pageOf, pageQuery, sendPage } from '../page.ts';
import { ref } from '../shapes.ts';

const strict = { additionalProperties: false };
const tags = ['memory'];
const REFUSED = [409, 413, 415, 422, 507];
const words = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', description });
const layer = words(64, 'user/profile, project/context, domain/knowledge, or a short name of one');
const project = words(512, 'Name or folder of the project');
const params = Type.Object({ record_id: Type.String({ minLength: 1, maxLength: 64 }) });

function layerNamed(name: string | undefined): Layer | undefined {
  const found = name === undefined ? undefined : layerOf(name);
  if (found !== null) return found;
  const message = unknownLayer(name ?? '');
  throw new AppError('bad_request', message, { errors: [{ path: '/layer', message }] });
}

const newRecord = Type.Object(
  {
    content: words(MEMORY_LIMITS.content, 'One fact that stands alone'),
    layer,
    project: Type.Optional(
      Type.String({
        ...project,
        description: `For project/context: where it holds; default "${DEFAULT_PROJECT}"`,
      }),
    ),
    tags: Type.Optional(
      Type.Array(words(MEMORY_LIMITS.tag, 'A word'), { maxItems: MEMORY_LIMITS.tags }),
    ),
  },
  {
    ...strict,
    examples: [{ content: 'The user prefers tabs over spaces.', layer: 'user/profile' }],
  },
);
const correction = Type.Object(
  {
    replacement: words(MEMORY_LIMITS.content, 'What is true instead'),
    reason: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { ...strict, examples: [{ replacement: 'The user prefers spaces.', reason: 'asked for it' }] },
);
const historyOf = (record: MemoryRecord): string => `/v1/memory/${record.record_id}/history`;

export function memoryRoutes(app: App, http: Http): void {
  const { memory } = http.services;
  app.get(
    '/v1/memory',
    {
      schema: {
        operationId: 'listMemory',
        summary: 'What is remembered, newest first; with q what is relevant to it, best first',
        tags,
        querystring: Type.Object(
          {
            ...pageQuery,
            layer: Type.Optional(layer),
            status: Type.Optional(
              Type.Enum([...MEMORY_STATUSES], { description: 'Not together with q' }),
            ),
            project: Type.Optional(
              Type.String({
                ...project,
                description: 'Only records of this project; with q also those that hold everywhere',
              }),
            ),
            q: Type.Optional(words(MEMORY_LIMITS.query, 'Searches active records')),
          },
          strict,
        ),
        response: { 200: json('A page', pageOf(ref('MemoryRecord'))), ...fails() },
      },
    },
    async (request, reply) => {
      const { limit, cursor, q, status, project: of } = request.query;
      const named = layerNamed(request.query.layer);
      if (q === undefined) {
        const filter = given({ layer: named, status, project: of });
        const page = await memory.list({ ...askOf(limit, cursor), ...filter });
        return sendPage(request, reply, page, (record) => record);
      }
      if (status === 'superseded')
        throw new AppError('bad_request', 'a search finds active records only: leave status out');
      const filter = { project: of ?? null, layer: named ?? null };
      const data = await memory.search(q, filter, limit ?? PAGE_SIZE);
      return { data, next_cursor: null };
    },
  );

  app.post(
    '/v1/memory',
    {
      schema: {
        operationId: 'addMemory',
        summary: 'Remember something',
        tags,
        headers: idempotencyHeader,
        body: newRecord,
        response: { 201: json('Stored', ref('MemoryRecord')), ...fails(...REFUSED) },
      },
    },
    async (request, reply) => {
      const { project: of = DEFAULT_PROJECT, tags: labels = [], ...record } = request.body;
      reply.code(201);
      const done = await once<MemoryRecord>(
        { request, reply, port: http.idempotency },
        (also) => memory.store({ ...record, tags: labels, project: of }, also),
        (body) => ({ status: 201, body }),
      );
      const body = done.fresh ? done.accepted : (done.body as MemoryRecord);
      reply.header('location', historyOf(body));
      return body;
    },
  );

  app.post(
    '/v1/memory/:record_id/correct',
    {
      schema: {
        operationId: 'correctMemory',
        summary: 'Replace a record; the old one stays in its history',
        tags,
        headers: idempotencyHeader,
        params,
        body: correction,
        response: { 201: json('The new record', ref('MemoryRecord')), ...fails(404, ...REFUSED) },
      },
    },
    async (request, reply) => {
      const { replacement, reason = null } = request.body;
      const { record_id } = request.params;
      reply.code(201);
      const done = await once<MemoryRecord>(
        { request, reply, port: http.idempotency },
        (also) => memory.correct({ record_id, replacement, reason }, also),
        (body) => ({ status: 201, body }),
      );
      const body = done.fresh ? done.accepted : (done.body as MemoryRecord);
      reply.header('location', historyOf(body));
      return body;
    },
  );

  app.get(
    '/v1/memory/:record_id/history',
    {
      schema: {
        operationId: 'getMemoryHistory',
        summary: 'A record with what it corrects and what corrects it, oldest first',
        tags,
        params,
        response: {
          200: json('All of them', Type.Object({ data: Type.Array(ref('MemoryRecord')) })),
          ...fails(404),
        },
      },
    },
    async (request) => ({ data: await memory.history(request.params.record_id) }),
  );
}
