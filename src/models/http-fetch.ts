// fetch over node:http: the requests to model servers. Node's own fetch gives up after 300 s without a header or
// without a byte, which is less than a large model on a small machine needs; here only the gateway's deadlines hold.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';

/** Statuses that have no body by definition. */
const NO_BODY = new Set([101, 204, 205, 304]);

export type HttpAsk = {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal | null;
};

function send(url: URL, ask: HttpAsk): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const { method = 'GET', headers = {}, body = '', signal } = ask;
  return new Promise((resolve, reject) => {
    const out = request(url, {
      method,
      headers: {
        ...headers,
        ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
      ...(signal ? { signal } : {}),
    });
    out.once('response', resolve);
    out.once('error', (error: NodeJS.ErrnoException) => {
      // The server has closed an idle connection at the moment we took it: nothing of the request was read.
      const stale = out.reusedSocket && error.code === 'ECONNRESET' && !signal?.aborted;
      if (stale) send(url, ask).then(resolve, reject);
      else reject(error);
    });
    out.end(body);
  });
}

/** Redirects are answers: a model server does not redirect, and a key must not follow one. */
export async function httpFetch(url: string | URL, ask: HttpAsk = {}): Promise<Response> {
  const message = await send(new URL(url), ask);
  const status = message.statusCode ?? 502;
  const headers = new Headers();
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2)
    headers.append(message.rawHeaders[i] as string, message.rawHeaders[i + 1] as string);
  const body = NO_BODY.has(status) ? null : Readable.toWeb(message);
  if (body === null) message.resume();
  return new Response(body as ReadableStream<Uint8Array> | null, { status, headers });
}

/** The same as the AI SDK wants it. */
export const sdkFetch: typeof fetch = (input, init) =>
  httpFetch(input instanceof Request ? input.url : input, {
    method: init?.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init?.headers)),
    body: typeof init?.body === 'string' ? init.body : '',
    signal: init?.signal ?? null,
  });
