// /v1/subagents: the agents at work, one row per attempt at a task.
import Type from 'typebox';
import { SUBAGENT_STATES } from '../../domain/subagent.ts';
import type { App, Http } from '../context.ts';
import { fails, json } from '../openapi.ts';
import { askOf, given, pageOf, pageQuery, sendPage } from '../page.ts';
import { ref } from '../shapes.ts';

const tags = ['subagents'];
const name = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));

export function subagentRoutes(app: App, http: Http): void {
  const { subagents } = http.services;
  app.get(
    '/v1/subagents',
    {
      schema: {
        operationId: 'listSubagents',
        summary: 'Subagents, newest first',
        tags,
        querystring: Type.Object(
          {
            ...pageQuery,
            state: Type.Optional(Type.Enum([...SUBAGENT_STATES])),
            role: name,
            query_id: name,
          },
          { additionalProperties: false },
        ),
        response: { 200: json('A page', pageOf(ref('Subagent'))), ...fails() },
      },
    },
    async (request, reply) => {
      const { limit, cursor, ...filter } = request.query;
      const page = await subagents.list({ ...askOf(limit, cursor), ...given(filter) });
      return sendPage(request, reply, page, (agent) => agent);
    },
  );

  app.get(
    '/v1/subagents/:agent_id',
    {
      schema: {
        operationId: 'getSubagent',
        summary: 'One subagent',
        tags,
        params: Type.Object({ agent_id: Type.String({ minLength: 1, maxLength: 128 }) }),
        response: { 200: json('As it is now', ref('Subagent')), ...fails(404) },
      },
    },
    (request) => subagents.get(request.params.agent_id),
  );
}
