// /v1/tasks: start, look, wait, steer, cancel, retry.
import Type from 'typebox';
import { isOpenTask, TASK_STATUSES, type Task } from '../../domain/task.ts';
import { accept } from '../accept.ts';
import type { App, Http } from '../context.ts';
import { acceptHeaders, fails, idempotencyHeader, json, REFUSED } from '../openapi.ts';
import { askOf, given, pageOf, pageQuery, sendPage } from '../page.ts';
import { hangUp } from '../prefer.ts';
import { ref } from '../shapes.ts';
import { reviewMode } from '../shapes-review.ts';
import { type TaskView, taskView, type WaitingFor } from '../views.ts';

const strict = { additionalProperties: false };
const tags = ['tasks'];
/** What limits.description_limit may be at most: the service holds a text against what it is. */
const MOST = 1_000_000;
export const taskParams = Type.Object({ task_id: Type.String({ minLength: 1, maxLength: 128 }) });
const words = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', description });
const reason = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 2_000 })) },
  { ...strict, examples: [{ reason: 'no longer needed' }] },
);

const newTask = Type.Object(
  {
    subagent_type: Type.String({ minLength: 1, maxLength: 128, description: 'Name of a role' }),
    description: words(MOST, 'The work, complete: the role knows nothing else'),
    output_schema: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'A JSON Schema that the result must fit: at most 32 kB, 16 levels, 500 schemas',
      }),
    ),
    review: Type.Optional(reviewMode),
  },
  { ...strict, examples: [{ subagent_type: 'coder', description: 'Write hello.py' }] },
);
const newMessage = Type.Object(
  {
    text: words(MOST, 'For the agent'),
    mode: Type.Optional(
      Type.Enum(['steer', 'interrupt', 'enqueue'], {
        description:
          'steer (default): next model step. interrupt: stop and go on with it. enqueue: after this run',
      }),
    ),
  },
  { ...strict, examples: [{ text: 'Use Python 3.12', mode: 'steer' }] },
);
const messageAnswer = Type.Object({
  task: ref('Task'),
  delivery: Type.Enum(['delivered', 'missed', 'queued']),
});

const locationOf = (task: TaskView): string => `/v1/tasks/${task.task_id}`;

export function taskRoutes(app: App, http: Http): void {
  const { tasks } = http.services;
  const waitingFor: WaitingFor = (of) => http.services.reviews.waitingFor(of);
  const read = async (task_id: string): Promise<TaskView> => {
    const { task, attempts } = await tasks.get(task_id);
    return taskView(task, attempts, waitingFor);
  };

  app.post(
    '/v1/tasks',
    {
      schema: {
        operationId: 'startTask',
        summary: 'Start a task (start_async_task)',
        tags,
        headers: acceptHeaders,
        body: newTask,
        response: {
          200: json('It ended while the caller waited', ref('Task')),
          202: json('Accepted; Location names it', ref('Task')),
          ...fails(...REFUSED),
        },
      },
    },
    (request, reply) =>
      accept<Task, TaskView>(http, request, reply, {
        work: (also) => tasks.start(request.body, also),
        view: (task) => taskView(task, [], waitingFor),
        location: locationOf,
        wait: ({ task_id }, ms, signal) => tasks.wait(task_id, ms, signal),
        read: ({ task_id }) => read(task_id),
        ended: (task) => !isOpenTask(task.status),
      }),
  );

  app.get(
    '/v1/tasks',
    {
      schema: {
        operationId: 'listTasks',
        summary: 'Tasks, newest first',
        tags,
        querystring: Type.Object(
          {
            ...pageQuery,
            status: Type.Optional(Type.Enum([...TASK_STATUSES])),
            role: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
            query_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
          },
          strict,
        ),
        response: { 200: json('A page', pageOf(ref('Task'))), ...fails() },
      },
    },
    async (request, reply) => {
      const { limit, cursor, ...filter } = request.query;
      const page = await tasks.list({ ...askOf(limit, cursor), ...given(filter) });
      // One row that cannot be read whole never hides the others.
      const data = await Promise.all(
        page.data.map((task) =>
          tasks.get(task.task_id).then(
            ({ task: { waiting }, attempts }) =>
              taskView({ ...task, waiting }, attempts, waitingFor),
            () => taskView(task, [], waitingFor),
          ),
        ),
      );
      return sendPage(request, reply, { ...page, data }, (view) => view);
    },
  );

  app.get(
    '/v1/tasks/:task_id',
    {
      schema: {
        operationId: 'getTask',
        summary: 'A task; wait_ms waits for its end',
        tags,
        params: taskParams,
        querystring: Type.Object(
          { wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: http.limits.wait_ms })) },
          strict,
        ),
        response: { 200: json('As it is now', ref('Task')), ...fails(404) },
      },
    },
    async (request, reply) => {
      const { task_id } = request.params;
      const now = await read(task_id);
      const ms = request.query.wait_ms ?? 0;
      if (ms === 0 || !isOpenTask(now.status)) return now;
      await tasks.wait(now.task_id, ms, hangUp(reply, http.closing));
      return read(now.task_id);
    },
  );
  taskActions(app, http, read);
}

function taskActions(app: App, http: Http, read: (task_id: string) => Promise<TaskView>): void {
  const { tasks } = http.services;
  const waitingFor: WaitingFor = (of) => http.services.reviews.waitingFor(of);
  app.post(
    '/v1/tasks/:task_id/messages',
    {
      schema: {
        operationId: 'messageTask',
        summary: 'Say something to the agent (update_async_task)',
        tags,
        headers: idempotencyHeader,
        params: taskParams,
        body: newMessage,
        response: { 202: json('Accepted', messageAnswer), ...fails(404, ...REFUSED) },
      },
    },
    (request, reply) => {
      const { task_id } = request.params;
      const { text, mode = 'steer' } = request.body;
      return accept(http, request, reply, {
        work: () => tasks.message(task_id, text, mode),
        view: ({ task, delivery }) => ({ task: taskView(task, [], waitingFor), delivery }),
        location: ({ task }) => locationOf(task),
        wait: async () => {},
        read: async (body) => body,
        ended: () => false,
      });
    },
  );

  app.post(
    '/v1/tasks/:task_id/cancel',
    {
      schema: {
        operationId: 'cancelTask',
        summary: 'Stop a task and everything below it',
        tags,
        params: taskParams,
        body: reason,
        response: {
          200: json('It has stopped', ref('Task')),
          ...fails(404, 409, 413, 415),
        },
      },
    },
    async (request) => {
      const why = request.body.reason ?? 'cancelled by the API';
      const { task, attempts } = await tasks.cancel(request.params.task_id, why);
      return taskView(task, attempts, waitingFor);
    },
  );

  app.post(
    '/v1/tasks/:task_id/retry',
    {
      schema: {
        operationId: 'retryTask',
        summary: 'Try an ended task again',
        tags,
        headers: acceptHeaders,
        params: taskParams,
        response: {
          200: json('It ended while the caller waited', ref('Task')),
          202: json('Accepted', ref('Task')),
          ...fails(404, ...REFUSED),
        },
      },
    },
    (request, reply) =>
      accept(http, request, reply, {
        work: () => tasks.retry(request.params.task_id),
        view: ({ task, attempts }) => taskView(task, attempts, waitingFor),
        location: locationOf,
        wait: ({ task_id }, ms, signal) => tasks.wait(task_id, ms, signal),
        read: ({ task_id }) => read(task_id),
        ended: (task) => !isOpenTask(task.status),
      }),
  );

  app.get(
    '/v1/tasks/:task_id/output',
    {
      schema: {
        operationId: 'getTaskOutput',
        summary: 'The text of a task, from an offset on',
        tags,
        params: taskParams,
        querystring: Type.Object(
          {
            offset: Type.Optional(
              Type.Integer({ minimum: 0, description: 'UTF-16 units; next_offset of before' }),
            ),
          },
          strict,
        ),
        response: {
          200: json(
            'partial_output is append-only: ask again from next_offset',
            Type.Object({
              task_id: Type.String(),
              status: Type.Enum([...TASK_STATUSES]),
              offset: Type.Integer(),
              next_offset: Type.Integer(),
              text: Type.String(),
              result: Type.Union([Type.String(), Type.Null()]),
            }),
          ),
          ...fails(404),
        },
      },
    },
    async (request) => {
      const { task_id, status, partial_output, result } = await read(request.params.task_id);
      const offset = request.query.offset ?? 0;
      const text = partial_output.slice(offset);
      return { task_id, status, offset, next_offset: offset + text.length, text, result };
    },
  );
}
