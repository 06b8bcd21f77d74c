// /v1/gc and /v1/backup: what keeps the state folder small, and copies of it. For administrators.
import Type from 'typebox';
import type { App, Http } from '../context.ts';
import { fails, json } from '../openapi.ts';
import { ref } from '../shapes.ts';

const tags = ['ops'];
/** Longest wait for a backup; after that the answer is 202, and GET shows how it goes. */
const WAIT_MS = 60_000;
const TEN_YEARS_S = 315_576_000;

export function upkeepRoutes(app: App, http: Http): void {
  const { upkeep } = http.services;
  app.post(
    '/v1/gc',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'removeOld',
        summary: 'Remove what ended long ago: rows, workdirs of the server’s own, old logs',
        description:
          'Never anything that is at work. A call works for some 20 s at most; `more` says that it is to be called again.',
        tags,
        body: Type.Object(
          {
            older_than_s: Type.Integer({
              minimum: 0,
              maximum: TEN_YEARS_S,
              description: 'Ended, and not touched for so many seconds',
            }),
            dry_run: Type.Optional(
              Type.Boolean({ description: 'Only look; the numbers are those of a real call' }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: json('What was removed', ref('Gc')), ...fails(409, 413, 415, 507) },
      },
    },
    async ({ body }) =>
      upkeep.gc({ older_than_s: body.older_than_s, dry_run: body.dry_run ?? false }),
  );

  app.post(
    '/v1/backup',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'makeBackup',
        summary: 'Copy the database while it is in use',
        tags,
        body: Type.Object(
          {
            path: Type.String({
              minLength: 1,
              maxLength: 4096,
              description: 'Absolute, on the server’s machine; nothing may be there yet',
            }),
          },
          { additionalProperties: false },
        ),
        response: {
          200: json('It is there, and whole', ref('Backup')),
          202: json('It takes longer', ref('Backup')),
          ...fails(409, 413, 415, 507),
        },
      },
    },
    async ({ body }, reply) => {
      const made = await upkeep.backups.make(body.path, WAIT_MS);
      return reply.code(made.state === 'running' ? 202 : 200).send(made);
    },
  );

  app.get(
    '/v1/backup',
    {
      schema: {
        operationId: 'getBackup',
        summary: 'The backup under way, or the last one since the start',
        tags,
        response: { 200: json('null: none', Type.Union([ref('Backup'), Type.Null()])), ...fails() },
      },
    },
    async (_request, reply) =>
      reply.type('application/json').send(JSON.stringify(upkeep.backups.last())),
  );
}
