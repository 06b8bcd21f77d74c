// The thread-centric protocol over HTTP: commands to a thread, and its events by channel.
import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { AppError, type ErrorCode } from '../../../domain/errors.ts';
import { type App, type Protocol, paramsOf, READ, threadOf } from '../context.ts';
import { isJson, type Json } from '../messages.ts';
import type { RunAsk } from '../run-request.ts';
import { tellChannels } from '../tell-channels.ts';
import { CHANNELS } from '../thread-events.ts';
import { createRun } from './runs.ts';

const Command = Type.Object({
  id: Type.Integer({ minimum: 0 }),
  method: Type.String(),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
const Events = Type.Object({
  channels: Type.Array(Type.String(), { minItems: 1, maxItems: 64 }),
  namespaces: Type.Optional(Type.Array(Type.Array(Type.String()))),
  depth: Type.Optional(Type.Integer({ minimum: 0 })),
  since: Type.Optional(Type.Integer({ minimum: 0 })),
});

const CODES: Partial<Record<ErrorCode, string>> = {
  bad_request: 'invalid_argument',
  not_found: 'invalid_argument',
  forbidden: 'permission_denied',
};
class Unsupported extends Error {}

export function threadStreamRoutes(app: App, protocol: Protocol): void {
  const { threads } = protocol;

  async function start(request: FastifyRequest, params: Json): Promise<Json> {
    const { input, config, metadata, assistant_id, langsmith_tracer, multitask_strategy } = params;
    const { thread_id = '' } = paramsOf(request);
    const known = await threads.find(thread_id).catch(() => null);
    const asks = known !== null && (await threads.standOf(known)).status === 'interrupted';
    const resumes = asks && !(isJson(input) && 'messages' in input);
    const what = resumes ? { command: { resume: input } } : { input };
    const more = { config, metadata, langsmith_tracer, multitask_strategy };
    const body = { ...what, ...more, assistant_id, if_not_exists: 'create' } as RunAsk;
    const { run } = await createRun(protocol, request, body);
    return { run_id: run.run_id, thread_id: run.thread_id };
  }
  async function respond(request: FastifyRequest, params: Json): Promise<Json> {
    const thread = await threadOf(protocol, request);
    const entries = (Array.isArray(params.responses) ? params.responses : [params]) as Json[];
    const resume = Object.fromEntries(entries.map((e) => [String(e.interrupt_id), e.response]));
    const { config, metadata } = params;
    const body = { assistant_id: thread.assistant, command: { resume }, config, metadata };
    const { run } = await createRun(protocol, request, body as RunAsk);
    return { run_id: run.run_id };
  }
  async function act(request: FastifyRequest, method: string, params: Json): Promise<Json> {
    if (method === 'run.start') return start(request, params);
    if (method === 'input.respond') return respond(request, params);
    const thread = await threadOf(protocol, request);
    const stand = await threads.standOf(thread);
    if (method === 'state.get') {
      const { values, checkpoint } = await threads.states.latest(thread, stand);
      return { values, checkpoint: { id: checkpoint.checkpoint_id } };
    }
    if (method === 'state.listCheckpoints') {
      const limit = Math.min(Number(params.limit) || 10, 1_000);
      const found = await threads.states.history(thread, { limit, before: null }, stand);
      return {
        checkpoints: found.map(({ checkpoint, created_at, metadata }) => ({
          id: checkpoint.checkpoint_id,
          timestamp: created_at,
          step: metadata.step,
          metadata,
        })),
      };
    }
    if (method === 'agent.getTree')
      return {
        tree: { namespace: [], status: stand.busy ? 'running' : 'completed', children: [] },
      };
    throw new Unsupported(
      `${method.slice(0, 60)} is not offered; offered: run.start, input.respond, state.get, state.listCheckpoints, agent.getTree`,
    );
  }

  app.post('/threads/:thread_id/commands', { schema: { body: Command } }, async (request) => {
    const { id, method, params = {} } = request.body as Static<typeof Command>;
    try {
      return { type: 'success', id, result: await act(request, method, params) };
    } catch (error) {
      if (error instanceof Unsupported)
        return { type: 'error', id, error: 'not_supported', message: error.message };
      if (!(error instanceof AppError)) throw error;
      const code = CODES[error.code] ?? 'unknown_error';
      return { type: 'error', id, error: code, message: error.message };
    }
  });
  for (const path of ['/threads/:thread_id/stream/events', '/threads/:thread_id/stream'])
    app.post(path, { ...READ, schema: { body: Events } }, async (request, reply) => {
      const { channels, since } = request.body as Static<typeof Events>;
      const unknown = channels.find(
        (name) => ![...CHANNELS, 'tasks'].includes(name.split(':', 1)[0] as 'values'),
      );
      if (unknown !== undefined)
        throw new AppError(
          'bad_request',
          `channel "${unknown}" is not known; known: ${CHANNELS.join(', ')}`,
        );
      const thread = await threadOf(protocol, request);
      return tellChannels(protocol, reply, thread.thread_id, { channels, since: since ?? null });
    });
}
