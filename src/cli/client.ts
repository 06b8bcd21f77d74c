// The road to a server: JSON calls with deadlines, streams, and errors that a person can read.
// A loopback address is never reached through a proxy. Keeps no state but its connections.
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { CliError, EXIT } from './exit.ts';
import { connectionError, problemError } from './problem.ts';

/** A server on this machine accepts at once; one far away within seconds. */
const CONNECT_MS = 5_000;
/** The API answers at once; half a minute covers a machine under load. */
const ANSWER_MS = 30_000;
/** Streams send a heartbeat every 5 s: six missed ones mean that the connection is dead. */
const SILENCE_MS = 30_000;
const BODY_LIMIT = 64 * 1024 * 1024;

export type Params = Record<string, string | number | boolean | null | undefined>;
export type Opened = { type: string; body: AsyncIterable<Uint8Array>; close(): void };
export type CallOptions = {
  body?: unknown;
  params?: Params;
  headers?: Record<string, string>;
  /** Milliseconds that the server may take on top of the usual, for calls that wait. */
  extraMs?: number;
  signal?: AbortSignal;
};
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Client = {
  url: string;
  get<T>(path: string, params?: Params, options?: CallOptions): Promise<T>;
  post<T>(path: string, body?: unknown, options?: CallOptions): Promise<T>;
  put<T>(path: string, body: unknown): Promise<T>;
  delete<T>(path: string): Promise<T>;
  /** Follows `next_cursor` until `limit` rows are there. */
  list<T>(path: string, params: Params, limit: number): Promise<T[]>;
  /** A body to be read piece by piece: a file, an archive, an event stream. */
  open(path: string, options?: CallOptions): Promise<Opened>;
  close(): Promise<void>;
};

export const segment = (text: string): string => encodeURIComponent(text);

/** `[::1]`, 127.x.x.x and localhost. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);

export function parseBase(url: string): URL {
  const given = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  const base = URL.canParse(given) ? new URL(given) : null;
  if (base === null || !/^https?:$/.test(base.protocol))
    throw new CliError(
      EXIT.usage,
      'bad_url',
      `not a server address: "${url}"`,
      'use http://HOST:PORT or https://HOST',
    );
  base.pathname = base.pathname.replace(/\/+$/, '');
  base.search = '';
  base.hash = '';
  return base;
}

async function readAll(body: AsyncIterable<Uint8Array>, what: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > BODY_LIMIT)
      throw new CliError(EXIT.failed, 'too_large', `${what}: the answer is larger than 64 MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson<T>(text: string, type: string, shown: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new CliError(
      EXIT.unreachable,
      'not_troupe',
      `${shown} answered with ${type || 'something'} that is not JSON: is a troupe server there?`,
      'check --url',
    );
  }
}

export function createClient({ url, apiKey }: { url: string; apiKey: string | null }): Client {
  const base = parseBase(url);
  const shown = base.href.replace(/\/$/, '');
  const timeouts = { connect: { timeout: CONNECT_MS }, keepAliveTimeout: 4_000 };
  const dispatcher: Dispatcher = isLoopback(base.hostname)
    ? new Agent(timeouts)
    : new EnvHttpProxyAgent(timeouts);

  function target(path: string, params: Params = {}): string {
    const full = new URL(`${shown}${path}`);
    for (const [name, value] of Object.entries(params))
      if (value !== undefined && value !== null) full.searchParams.set(name, String(value));
    return full.href;
  }
  async function send(method: Method, path: string, o: CallOptions, bodyTimeout: number) {
    const payload = o.body === undefined ? null : JSON.stringify(o.body);
    return await request(target(path, o.params), {
      method,
      dispatcher,
      headersTimeout: ANSWER_MS + (o.extraMs ?? 0),
      bodyTimeout,
      ...(o.signal === undefined ? {} : { signal: o.signal }),
      headers: {
        accept: 'application/json',
        ...(payload === null ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        ...o.headers,
      },
      body: payload,
    });
  }
  async function answered(method: Method, path: string, o: CallOptions, silence: number) {
    const what = `${method} ${path}`;
    try {
      const answer = await send(method, path, o, silence);
      if (answer.statusCode < 300) return answer;
      const retryAfter = answer.headers['retry-after'];
      const text = await readAll(answer.body, what);
      const after = typeof retryAfter === 'string' ? retryAfter : null;
      throw problemError(answer.statusCode, text, what, after);
    } catch (error) {
      throw connectionError(error, shown, what);
    }
  }
  async function call<T>(method: Method, path: string, o: CallOptions): Promise<T> {
    const answer = await answered(method, path, o, ANSWER_MS);
    const type = String(answer.headers['content-type'] ?? '');
    try {
      const text = await readAll(answer.body, `${method} ${path}`);
      return text === '' ? (null as T) : parseJson<T>(text, type, shown);
    } catch (error) {
      throw connectionError(error, shown, `${method} ${path}`);
    }
  }
  const get = <T>(path: string, params: Params = {}, o: CallOptions = {}) =>
    call<T>('GET', path, { ...o, params });
  return {
    url: shown,
    get,
    post: (path, body = {}, o = {}) => call('POST', path, { ...o, body }),
    put: (path, body) => call('PUT', path, { body }),
    delete: (path) => call('DELETE', path, {}),
    async list<T>(path: string, params: Params, limit: number): Promise<T[]> {
      const rows: T[] = [];
      let cursor: string | null = null;
      do {
        const page: { data: T[]; next_cursor?: string | null } = await get(path, {
          ...params,
          limit: Math.min(limit - rows.length, 1000),
          cursor,
        });
        rows.push(...page.data);
        cursor = page.next_cursor ?? null;
      } while (cursor !== null && rows.length < limit);
      return rows.slice(0, limit);
    },
    async open(path, o = {}) {
      const answer = await answered('GET', path, o, SILENCE_MS);
      // Closing a body early is an error event of its own; the reader has gone by then.
      answer.body.on('error', () => {});
      return {
        type: String(answer.headers['content-type'] ?? ''),
        body: answer.body,
        close: () => answer.body.destroy(),
      };
    },
    close: () => dispatcher.destroy(),
  };
}
