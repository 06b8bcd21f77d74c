// A small client for Agent Protocol servers that someone else runs. One call, one deadline; never follows a
// redirect, never stores the headers it is given.
import { request } from 'undici';
import { AppError } from '../domain/errors.ts';
import { parseJson } from './http-json.ts';
import { MESSAGE_LIMIT } from './protocol.ts';

export type ProtocolClient = {
  /** The JSON of a 2xx answer (null when it has none). Throws server_unreachable, not_found or conflict. */
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>;
};

/** A role server of someone else may be far away or busy; a run itself is polled, so no call takes long. */
const DEADLINE_MS = 30_000;

export function createProtocolClient(
  url: string,
  headers: Readonly<Record<string, string>>,
): ProtocolClient {
  const base = url.replace(/\/+$/, '');
  return {
    async call(method, path, body) {
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const where = `${method} ${base}${path}`;
      const failed = (why: string, status: number | null): AppError =>
        new AppError(codeOf(status), `${where}: ${why}`, { data: { status } });
      let status: number;
      let bytes: Buffer;
      try {
        const res = await request(`${base}${path}`, {
          method,
          signal,
          headers: {
            ...headers,
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          body: body === undefined ? null : JSON.stringify(body),
        });
        status = res.statusCode;
        bytes = await bounded(res.body);
      } catch (error) {
        const { code, message } = error as { code?: string; message?: string };
        const why = signal.aborted ? `no answer within ${DEADLINE_MS} ms` : (code ?? message ?? '');
        throw failed(why, null);
      }
      if (status < 200 || status > 299) throw failed(`status ${status}`, status);
      try {
        return bytes.length === 0 ? null : parseJson(bytes);
      } catch {
        throw failed('the answer is not JSON', null);
      }
    },
  };
}

function codeOf(status: number | null) {
  if (status === 404) return 'not_found';
  return status === 409 ? 'conflict' : 'server_unreachable';
}

async function bounded(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MESSAGE_LIMIT) throw new Error(`the answer is larger than ${MESSAGE_LIMIT} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
