// JSON over node:http for both ends: bounded bodies, strict UTF-8, errors as {code, message}.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, ERRORS, type ErrorCode } from '../domain/errors.ts';

/** Bytes of a message body; more than `limit` is refused before it is kept. */
export async function readBytes(message: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = () =>
    new AppError('body_too_large', `the message is larger than ${limit} bytes`);
  if (Number(message.headers['content-length'] ?? 0) > limit) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > limit) throw tooLarge();
    parts.push(part);
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

/** Throws bad_request for broken UTF-8 or JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new AppError('bad_request', 'the body is not JSON in UTF-8');
  }
}

export const readJson = async (message: IncomingMessage, limit: number): Promise<unknown> =>
  parseJson(await readBytes(message, limit));

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  if (res.destroyed || res.headersSent) return;
  const text = Buffer.from(JSON.stringify(body));
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length });
  res.end(text);
}

/** The text of errors that are not ours stays inside. */
export function sendError(res: ServerResponse, error: unknown): void {
  const { code, message } = errorBody(error);
  // The rest of a refused body is not read: the connection cannot be used again.
  if (code === 'body_too_large' && !res.headersSent) res.setHeader('connection', 'close');
  sendJson(res, ERRORS[code].status, { code, message });
}

export function errorBody(error: unknown): { code: ErrorCode; message: string } {
  return error instanceof AppError
    ? { code: error.code, message: error.message }
    : { code: 'internal', message: 'internal error' };
}

/** The error that the other end sent, or one made from the status. */
export function receivedError(status: number, body: unknown, fallback: ErrorCode): AppError {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && Object.hasOwn(ERRORS, code))
    return new AppError(code as ErrorCode, typeof message === 'string' ? message : code, {
      data: { status },
    });
  return new AppError(fallback, `unexpected answer with status ${status}`, { data: { status } });
}
