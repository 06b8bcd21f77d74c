// /v1/roles/{name}/prompt: the prompt of a role, or of `main`, as it is changed while the server runs.
import Type from 'typebox';
import { PROMPT_LIMIT } from '../../domain/prompt-override.ts';
import type { App, Http } from '../context.ts';
import { fails, json } from '../openapi.ts';

const tags = ['roles'];
const params = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 128, description: 'A role, or main' }),
});
const body = Type.Object(
  { prompt: Type.String({ minLength: 1, maxLength: PROMPT_LIMIT, pattern: '\\S' }) },
  { additionalProperties: false, examples: [{ prompt: 'Answer in short sentences.' }] },
);

const orNull = Type.Union([Type.String(), Type.Null()]);
const view = Type.Object({
  role: Type.String(),
  mode: Type.Enum(['append', 'replace'], { description: 'What an override does to the default' }),
  default: Type.String(),
  override: orNull,
  effective: Type.String({ description: 'What the next run gets' }),
  updated_at: orNull,
  warnings: Type.Array(Type.String(), {
    description: 'What does not agree between the prompt and the registered roles',
  }),
});

export function rolePromptRoutes(app: App, http: Http): void {
  const { prompts } = http.services;
  const path = '/v1/roles/:name/prompt';
  const answer = json('As it is now', view);
  app.get(
    path,
    {
      schema: {
        operationId: 'getRolePrompt',
        summary: 'The prompt of a role or of main: default, override, and what the next run gets',
        tags,
        params,
        response: { 200: answer, ...fails(404) },
      },
    },
    async (request) => prompts.get(request.params.name),
  );
  app.put(
    path,
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'setRolePrompt',
        summary:
          'Change it for runs that begin from now on: main gets an addition, a role another one',
        tags,
        params,
        body,
        response: { 200: answer, ...fails(404, 413, 415, 507) },
      },
    },
    async (request) => prompts.set(request.params.name, request.body.prompt),
  );
  app.delete(
    path,
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'resetRolePrompt',
        summary: 'Back to the default',
        tags,
        params,
        response: { 200: answer, ...fails(404, 507) },
      },
    },
    async (request) => prompts.reset(request.params.name),
  );
}
