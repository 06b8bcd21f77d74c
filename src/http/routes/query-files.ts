// Files of a query: a list, one file, all of them as a zip. Always downloads: agents wrote them, and a
// browser must never run them as pages of this server.
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { AppError } from '../../domain/errors.ts';
import type { App, Http } from '../context.ts';
import { fails, json, other } from '../openapi.ts';
import { pageOf } from '../page.ts';
import { ref } from '../shapes.ts';
import { queryParams } from './queries.ts';

const tags = ['queries'];
const bytes = (type: string, description: string) =>
  other(description, type, Type.String({ contentEncoding: 'binary' }));

function download(reply: FastifyReply, type: string, name: string): FastifyReply {
  const ascii = name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  return reply
    .header('content-type', type)
    .header(
      'content-disposition',
      `attachment; filename="${ascii}"; filename*=UTF-8''${encode(name)}`,
    )
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "sandbox; default-src 'none'")
    .header('cache-control', 'no-store');
}
const encode = (name: string): string =>
  encodeURIComponent(name.replace(/\p{Surrogate}/gu, '_')).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );

export function queryFileRoutes(app: App, http: Http): void {
  const { queries } = http.services;
  app.get(
    '/v1/queries/:query_id/files',
    {
      schema: {
        operationId: 'listQueryFiles',
        summary: 'Files in the workdir',
        tags,
        params: queryParams,
        response: { 200: json('All of them', pageOf(ref('File'))), ...fails(404) },
      },
    },
    async (request) => ({ data: await queries.files(request.params.query_id), next_cursor: null }),
  );

  app.get(
    '/v1/queries/:query_id/files/*',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'getQueryFile',
        summary: 'One file',
        tags,
        params: Type.Object({
          ...queryParams.properties,
          '*': Type.String({ minLength: 1, maxLength: 4_096, description: 'Path in the workdir' }),
        }),
        response: {
          200: bytes('application/octet-stream', 'The bytes'),
          ...fails(404),
        },
      },
    },
    async (request, reply) => {
      const { query_id, '*': path } = request.params;
      if (path.includes('\0')) throw new AppError('bad_request', 'a path cannot have a NUL in it');
      const file = await queries.openFile(query_id, path);
      return download(reply, 'application/octet-stream', file.name)
        .header('content-length', String(file.size))
        .send(file.stream);
    },
  );

  app.get(
    '/v1/queries/:query_id/workspace.zip',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'getQueryWorkspace',
        summary: 'All files as a zip',
        tags,
        params: queryParams,
        response: { 200: bytes('application/zip', 'The archive'), ...fails(404) },
      },
    },
    async (request, reply) => {
      const { query_id } = request.params;
      const archive = await queries.zip(query_id);
      return download(reply, 'application/zip', `workspace-${query_id}.zip`).send(archive);
    },
  );
}
