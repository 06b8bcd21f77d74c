// One GET over a checked connection, and the redirects after it, each through the same checks.
// Never sends cookies or credentials, never keeps a connection for the next request.
import { type IncomingMessage, request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as startTls } from 'node:tls';
import { AppError } from '../../domain/errors.ts';
import type { Target } from './allow-list.ts';
import { connectTo, type Guard, type Network } from './connect.ts';

const MOST_REDIRECTS = 5;
const HEADER_LIMIT = 16 * 1024;
const HEADERS = {
  accept: 'text/html, application/xhtml+xml, text/markdown, application/json;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, br',
  'accept-language': 'en, *;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; Troupe)',
};

/** `url`: where the answer came from in the end. The caller calls `close` when it is done with the body. */
export type Answer = { url: URL; response: IncomingMessage; redirects: number; close(): void };

/** The URL when it may be asked for at all. Throws `bad_request`. */
export function urlOf(text: string, base?: URL): URL {
  const say = (why: string): AppError => new AppError('bad_request', `refused: ${why}`);
  if (!URL.canParse(text, base?.href)) throw say(`"${text.slice(0, 200)}" is not a URL`);
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw say(`${url.protocol} is not supported; only http and https are`);
  if (url.username !== '' || url.password !== '')
    throw say('a URL with a user name or a password is not fetched');
  url.hash = '';
  return url;
}

function targetOf(url: URL): Target {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) };
}

function overTls(socket: Socket, host: string): Socket {
  const name = host.replace(/\.$/, '');
  const secure = startTls({
    socket,
    ...(isIP(name) > 0 ? { host: name } : { host: name, servername: name }),
    ALPNProtocols: ['http/1.1'],
  });
  secure.on('error', () => {});
  return secure;
}

function respond(url: URL, socket: Socket, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = request({
      createConnection: () => socket,
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { ...HEADERS, host: url.host },
      setHost: false,
      maxHeaderSize: HEADER_LIMIT,
      signal,
    });
    asking.on('error', reject);
    asking.on('response', resolve);
    asking.on('upgrade', (_, raw) => {
      raw.destroy();
      reject(new AppError('bad_request', 'the server switched to another protocol'));
    });
    asking.end();
  });
}

const isRedirect = ({ statusCode, headers }: IncomingMessage): boolean =>
  [301, 302, 303, 307, 308].includes(statusCode ?? 0) && headers.location !== undefined;

export type Ask = {
  network: Network;
  mayReach: Guard;
  signal: AbortSignal;
  /** Told before each request where it goes. */
  onHop(url: URL): void;
};

/** Follows redirects by hand: each address goes through every check anew. */
export async function get(first: URL, ask: Ask): Promise<Answer> {
  const { network, mayReach, signal } = ask;
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    ask.onHop(url);
    const target = targetOf(url);
    const plain = await connectTo(target, network, mayReach, signal);
    try {
      const socket = url.protocol === 'https:' ? overTls(plain, target.host) : plain;
      const response = await respond(url, socket, signal);
      if (!isRedirect(response)) return { url, response, redirects, close: () => plain.destroy() };
      if (redirects === MOST_REDIRECTS)
        throw new AppError('bad_request', `more than ${MOST_REDIRECTS} redirects`);
      url = urlOf(response.headers.location ?? '', url);
      response.on('error', () => {});
      plain.destroy();
    } catch (error) {
      plain.destroy();
      throw error;
    }
  }
}
