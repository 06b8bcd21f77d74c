// Errors in the shape of the protocol: short, because a model reads them. Text that is not ours never leaves.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, ERRORS } from '../../domain/errors.ts';
import type { Log } from '../../domain/ports.ts';

type Body = { code: string; message: string; metadata?: Record<string, unknown> };

function answerOf(error: unknown): { status: number; body: Body } | null {
  if (error instanceof AppError) {
    const { status, expose } = ERRORS[error.code];
    if (!expose) return null;
    const more = { ...error.data, ...(error.errors.length > 0 ? { errors: error.errors } : {}) };
    const metadata = Object.keys(more).length > 0 ? { metadata: more } : {};
    return { status, body: { code: error.code, message: error.message, ...metadata } };
  }
  const { statusCode, message } = error as Partial<FastifyError>;
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode >= 500) return null;
  return { status: statusCode, body: { code: 'bad_request', message: message ?? 'bad request' } };
}

export const createProtocolErrors =
  (log: Log) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const found = answerOf(error);
    const request_id = request.id;
    if (!found) log.error({ err: error, request_id }, 'a request of the Agent Protocol failed');
    const { status, body } = found ?? {
      status: 500,
      body: { code: 'internal', message: `internal error; the log has more under ${request_id}` },
    };
    if (status === 401) reply.header('www-authenticate', 'Bearer realm="troupe"');
    if (status === 429 || status === 503) reply.header('retry-after', '1');
    return reply.code(status).header('cache-control', 'no-store').send(body);
  };
