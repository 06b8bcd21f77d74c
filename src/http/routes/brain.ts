// /v1/queries/{id}/brain: the shared notes of the agents of one query.
import Type from 'typebox';
import type { App, Http } from '../context.ts';
import { fails, json } from '../openapi.ts';
import { askOf, given, pageOf, pageQuery, sendPage } from '../page.ts';
import { ref } from '../shapes.ts';
import { queryParams } from './queries.ts';

export function brainRoutes(app: App, http: Http): void {
  const { brain } = http.services;
  app.get(
    '/v1/queries/:query_id/brain',
    {
      schema: {
        operationId: 'getQueryBrain',
        summary: 'The shared notes of its agents, oldest first',
        tags: ['memory'],
        params: queryParams,
        querystring: Type.Object(
          {
            ...pageQuery,
            branch: Type.Optional(
              Type.String({ minLength: 1, maxLength: 128, description: 'main, or a task_id' }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: json('A page', pageOf(ref('BrainNote'))), ...fails(404) },
      },
    },
    async (request, reply) => {
      const { limit, cursor, ...filter } = request.query;
      const { query_id } = request.params;
      const page = await brain.page(query_id, { ...askOf(limit, cursor), ...given(filter) });
      return sendPage(request, reply, page, (note) => note);
    },
  );
}
