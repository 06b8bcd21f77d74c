// /v1/tasks/{id}/forensics and /discard: what a lost or failed attempt did and left, and letting it go.
import Type from 'typebox';
import type { App, Http } from '../context.ts';
import { fails, json } from '../openapi.ts';
import { ref } from '../shapes.ts';
import { taskView } from '../views.ts';
import { taskParams } from './tasks.ts';

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const call = Type.Object({
  id: Type.String(),
  name: Type.String(),
  arguments: Type.String(),
  started_at: Type.String(),
  ended_at: orNull(Type.String()),
  ok: Type.Boolean(),
  summary: orNull(Type.String()),
  exit_code: orNull(Type.Integer()),
});
const forensics = Type.Object({
  task_id: Type.String(),
  agent_id: Type.String(),
  role: Type.String(),
  ordinal: Type.Integer(),
  state: Type.String(),
  reasons: Type.Array(Type.String()),
  started_at: Type.String(),
  last_seen_at: Type.String(),
  last_call: orNull(call),
  open_calls: Type.Array(call, { description: 'Started, and the result is lost' }),
  last_output: Type.String(),
  files_changed: Type.Array(
    Type.Object({ path: Type.String(), size: Type.Integer(), modified_at: Type.String() }),
    { description: 'Since the attempt started; at most 50, newest first' },
  ),
  actions: Type.Array(Type.Enum(['resume', 'discard']), {
    description: 'resume: POST …/retry. discard: POST …/discard',
  }),
});

export function taskForensicsRoutes(app: App, http: Http): void {
  const { tasks } = http.services;
  const tags = ['tasks'];
  app.get(
    '/v1/tasks/:task_id/forensics',
    {
      schema: {
        operationId: 'getTaskForensics',
        summary: 'What the latest attempt did last, and what it left',
        tags,
        params: taskParams,
        response: { 200: json('About the latest attempt', forensics), ...fails(404) },
      },
    },
    (request) => tasks.forensics(request.params.task_id),
  );
  app.post(
    '/v1/tasks/:task_id/discard',
    {
      schema: {
        operationId: 'discardTask',
        summary: 'Let the ended attempt of a task go',
        tags,
        params: taskParams,
        response: { 200: json('As it is now', ref('Task')), ...fails(404, 409) },
      },
    },
    async (request) => {
      const { task, attempts } = await tasks.discard(request.params.task_id);
      return taskView(task, attempts, http.services.reviews.waitingFor);
    },
  );
}
