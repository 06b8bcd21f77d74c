// /v1/servers: the processes that serve the roles. Only existing ones are listed.
import Type from 'typebox';
import { AppError } from '../../domain/errors.ts';
import type { App, Http } from '../context.ts';
import { fails, json } from '../openapi.ts';
import { pageOf } from '../page.ts';
import type { Services } from '../services.ts';
import { ref } from '../shapes.ts';

const tags = ['servers'];
const roleParams = Type.Object({ role: Type.String({ minLength: 1, maxLength: 128 }) });
const LOG_LINES = 200;
const LOG_LINES_MAX = 2_000;

export function knownRole(roles: Services['roles'], name: string) {
  const found = roles.get(name);
  if (found) return found;
  const known = roles.list().map((role) => role.name);
  throw new AppError('not_found', `there is no role "${name}"; known roles: ${known.join(', ')}`);
}

export function serverRoutes(app: App, http: Http): void {
  const { supervisor, roles } = http.services;
  app.get(
    '/v1/servers',
    {
      schema: {
        operationId: 'listServers',
        summary: 'Role servers; empty until one is needed',
        tags,
        response: { 200: json('All of them', pageOf(ref('Server'))), ...fails() },
      },
    },
    async () => ({ data: supervisor.list(), next_cursor: null }),
  );

  const action = (verb: 'start' | 'restart', summary: string) =>
    app.post(
      `/v1/servers/:role/${verb}`,
      {
        config: { scope: 'admin' },
        schema: {
          operationId: `${verb}Server`,
          summary,
          tags,
          params: roleParams,
          response: { 200: json('It is ready', ref('Server')), ...fails(404, 409, 429) },
        },
      },
      async (request) => {
        knownRole(roles, request.params.role);
        return supervisor[verb](request.params.role);
      },
    );
  action('start', 'Start the server of a role now');
  action('restart', 'Stop and start it; its runs go on in the new one');

  app.post(
    '/v1/servers/:role/stop',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'stopServer',
        summary: 'Drain and stop the servers of a role',
        tags,
        params: roleParams,
        response: { 200: json('As they are now', pageOf(ref('Server'))), ...fails(404, 409) },
      },
    },
    async (request) => {
      knownRole(roles, request.params.role);
      return { data: await supervisor.stop(request.params.role), next_cursor: null };
    },
  );

  app.get(
    '/v1/servers/:role/log',
    {
      schema: {
        operationId: 'getServerLog',
        summary: 'Last lines of the log, oldest first, secrets masked',
        tags,
        params: roleParams,
        querystring: Type.Object(
          {
            lines: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: LOG_LINES_MAX,
                description: `Default ${LOG_LINES}`,
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: json(
            'The lines',
            Type.Object({ role: Type.String(), lines: Type.Array(Type.String()) }),
          ),
          ...fails(404),
        },
      },
    },
    async (request) => {
      const { role } = request.params;
      knownRole(roles, role);
      return { role, lines: await supervisor.log(role, request.query.lines ?? LOG_LINES) };
    },
  );
}
