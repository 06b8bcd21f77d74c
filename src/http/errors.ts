// Everything thrown becomes one RFC 9457 problem document. Text of errors that are not ours never leaves.
import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, ERRORS, type ErrorCode, type ErrorItem } from '../domain/errors.ts';
import type { Log } from '../domain/ports.ts';

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: ErrorCode;
  errors: ErrorItem[];
  request_id: string;
  data?: Record<string, unknown>;
};

type Fault = {
  code: ErrorCode;
  detail: string;
  status?: number;
  errors?: ErrorItem[];
  data?: Record<string, unknown>;
};
export type Where = { instance: string; request_id: string };

export const problem = (fault: Fault, where: Where): Problem => {
  const status = fault.status ?? ERRORS[fault.code].status;
  return {
    type: `urn:troupe:problem:${fault.code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: fault.detail,
    ...where,
    code: fault.code,
    errors: fault.errors ?? [],
    ...(fault.data && Object.keys(fault.data).length > 0 ? { data: fault.data } : {}),
  };
};

/** Faults that Fastify finds before a handler runs, in our words. */
const FRAMEWORK: Record<string, Fault> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    detail:
      'this content type is not read here; send JSON with the header content-type: application/json',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'body_too_large', detail: 'the body is too large' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'bad_request',
    detail: 'the body is not as long as content-length says',
  },
  FST_ERR_BAD_URL: { code: 'bad_request', detail: 'the URL has a broken percent-encoding' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'not_found', detail: 'there is nothing with a name that long' },
};

/** What is wrong, or null when it is our own fault and nobody's business. */
function faultOf(error: unknown): Fault | null {
  if (error instanceof AppError) {
    if (!ERRORS[error.code].expose) return null;
    return { code: error.code, detail: error.message, errors: error.errors, data: error.data };
  }
  const code = (error as FastifyError | null)?.code;
  return typeof code === 'string' ? (FRAMEWORK[code] ?? null) : null;
}

const RETRY_AFTER_S: Partial<Record<number, number>> = { 429: 1, 503: 2, 507: 5 };

export function sendProblem(reply: FastifyReply, found: Problem): FastifyReply {
  const pause = RETRY_AFTER_S[found.status];
  if (pause !== undefined) reply.header('retry-after', String(pause));
  if (found.status === 401) reply.header('www-authenticate', 'Bearer realm="troupe"');
  return reply
    .code(found.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(found));
}

export const whereOf = (request: FastifyRequest): Where => ({
  instance: request.url.split('?', 1)[0] ?? '/',
  request_id: request.id,
});

export const createErrorHandler =
  (log: Log) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const fault = faultOf(error);
    const where = whereOf(request);
    if (fault) {
      const found = problem(fault, where);
      if (found.status >= 500) log.warn({ err: error, ...where }, 'a request could not be served');
      return sendProblem(reply, found);
    }
    log.error({ err: error, ...where }, 'a request failed');
    return sendProblem(
      reply,
      problem(
        { code: 'internal', detail: 'internal error; the log has more under this request_id' },
        where,
      ),
    );
  };

/** A problem for a socket that never became a request: raw HTTP text. */
export function rawProblem(status: number, detail: string, request_id: string): string {
  const body = JSON.stringify(
    problem({ code: 'bad_request', detail, status }, { instance: '', request_id }),
  );
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
