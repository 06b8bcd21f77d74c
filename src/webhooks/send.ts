// One POST over a connection whose other end was checked. No redirects, no credentials, nothing kept.
import { request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as startTls } from 'node:tls';
import { AppError } from '../domain/errors.ts';
import { joinSignals } from '../domain/join-signals.ts';
import { closedAddress } from '../tools/fetch/address.ts';
import type { Target } from '../tools/fetch/allow-list.ts';
import { connectTo, type Guard, type Network } from '../tools/fetch/connect.ts';

const HINT = 'an operator can allow it in [facades] webhook_allow';
/** Longer, and whoever is told has a fault that more time does not repair. */
const ANSWER_MS = 10_000;

function targetOf(url: URL): Target {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) };
}

/** The URL when it may be told at all. AppError bad_request or forbidden; names are looked up only when it is sent. */
export function webhookUrl(text: string, mayReach: Guard): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new AppError(
      'bad_request',
      `webhook "${text.slice(0, 200)}" is not an http or https URL`,
    );
  if (url.username !== '' || url.password !== '')
    throw new AppError('bad_request', 'a webhook with a user name or a password is not told');
  const target = targetOf(url);
  const address = /^localhost\.?$/i.test(target.host) ? '127.0.0.1' : target.host;
  const what = isIP(address) > 0 ? closedAddress(address) : null;
  if (what !== null && !mayReach(address, target))
    throw new AppError('forbidden', `webhook refused: ${target.host} is ${what}; ${HINT}`);
  return url;
}

function overTls(socket: Socket, host: string): Socket {
  const secure = startTls({
    socket,
    ...(isIP(host) > 0 ? { host } : { host, servername: host }),
    ALPNProtocols: ['http/1.1'],
  });
  secure.on('error', () => {});
  return secure;
}

/** Resolves with the status of the answer. */
export async function post(
  url: URL,
  body: string,
  headers: Record<string, string>,
  { network, mayReach, closing }: { network: Network; mayReach: Guard; closing: AbortSignal },
): Promise<number> {
  const { signal, release } = joinSignals([closing], ANSWER_MS);
  const target = targetOf(url);
  let plain: Socket | null = null;
  try {
    const open = await connectTo(target, network, mayReach, signal, HINT);
    plain = open;
    return await new Promise<number>((resolve, reject) => {
      const sending = request({
        createConnection: () => (url.protocol === 'https:' ? overTls(open, target.host) : open),
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          ...{ host: url.host, 'user-agent': 'troupe', 'content-type': 'application/json' },
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
        setHost: false,
        signal,
      });
      sending.on('error', reject);
      sending.on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sending.end(body);
    });
  } finally {
    release();
    plain?.destroy();
  }
}
