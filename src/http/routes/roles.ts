// /v1/roles: who can do what, and where each setting came from.
import Type from 'typebox';
import type { App, Http } from '../context.ts';
import { fails, json } from '../openapi.ts';
import { pageOf } from '../page.ts';
import { ref } from '../shapes.ts';
import { roleView } from '../views.ts';
import { knownRole } from './servers.ts';

const tags = ['roles'];

export function roleRoutes(app: App, http: Http): void {
  const { roles } = http.services;
  app.get(
    '/v1/roles',
    {
      schema: {
        operationId: 'listRoles',
        summary: 'The roles, with all also those that only others may start',
        tags,
        querystring: Type.Object(
          { all: Type.Optional(Type.Boolean({ description: 'Hidden roles too' })) },
          { additionalProperties: false },
        ),
        response: { 200: json('All of them', pageOf(ref('Role'))), ...fails() },
      },
    },
    async (request) => ({
      data: roles.list(request.query.all ?? false).map(roleView),
      next_cursor: null,
    }),
  );

  app.get(
    '/v1/roles/:name',
    {
      schema: {
        operationId: 'getRole',
        summary: 'One role; sources says where each field came from',
        tags,
        params: Type.Object({ name: Type.String({ minLength: 1, maxLength: 128 }) }),
        response: {
          200: json(
            'The role',
            Type.Intersect([
              ref('Role'),
              Type.Object({ sources: Type.Record(Type.String(), Type.String()) }),
            ]),
          ),
          ...fails(404),
        },
      },
    },
    async (request) => {
      const { role, sources } = knownRole(roles, request.params.name);
      return { ...roleView(role), sources };
    },
  );
}
