// A connection that is checked before anything is sent over it: every address that DNS names, and the one that
// was really reached. Never goes through a proxy, never hands out a socket to a closed address.
import { lookup } from 'node:dns/promises';
import { isIP, connect as openSocket, type Socket } from 'node:net';
import { AppError } from '../../domain/errors.ts';
import { closedAddress } from './address.ts';
import type { Target } from './allow-list.ts';

export type Guard = (address: string, target: Target) => boolean;
/** The outside world, replaceable in tests. */
export type Network = {
  /** Every address of a host name. */
  resolve(host: string): Promise<string[]>;
  dial(address: string, port: number): Socket;
};
export const realNetwork: Network = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  dial: (address, port) => openSocket({ host: address, port, autoSelectFamily: false }),
};

/** Why: one address that swallows packets must leave time for the next. */
const CONNECT_MS = 6_000;
const MOST_ADDRESSES = 4;

const FETCH_HINT =
  'an operator can allow it in [sandbox] fetch_allow. Do not try other ways to reach it.';
const refused = (why: string, hint: string): AppError =>
  new AppError('forbidden', `refused: ${why}; ${hint}`);

/** Rejects when the signal aborts, whatever becomes of the promise. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function addressesOf(
  target: Target,
  network: Network,
  mayReach: Guard,
  signal: AbortSignal,
  hint: string,
): Promise<string[]> {
  const { host } = target;
  const literal = isIP(host) > 0;
  const all = literal ? [host] : await orAborted(network.resolve(host.replace(/\.$/, '')), signal);
  for (const address of all) {
    const what = closedAddress(address);
    if (what === null || mayReach(address, target)) continue;
    throw refused(literal ? `${host} is ${what}` : `${host} resolves to ${address}, ${what}`, hint);
  }
  if (all.length === 0) throw new AppError('not_found', `${host} has no address`);
  return all.slice(0, MOST_ADDRESSES);
}

async function dialOne(socket: Socket, address: string, signal: AbortSignal): Promise<Socket> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const connected = new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
      timer = setTimeout(() => {
        reject(Object.assign(new Error(`no answer from ${address}`), { code: 'ETIMEDOUT' }));
      }, CONNECT_MS);
    });
    await orAborted(connected, signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A connected socket whose other end is allowed. The caller destroys it. `hint`: what a refusal ends with. */
export async function connectTo(
  target: Target,
  network: Network,
  mayReach: Guard,
  signal: AbortSignal,
  hint = FETCH_HINT,
): Promise<Socket> {
  let failure: unknown = null;
  for (const address of await addressesOf(target, network, mayReach, signal, hint)) {
    signal.throwIfAborted();
    try {
      const socket = await dialOne(network.dial(address, target.port), address, signal);
      // Errors from here on belong to whoever reads; without a listener they would end the process.
      socket.on('error', () => {});
      const reached = socket.remoteAddress ?? '';
      const what = closedAddress(reached);
      if (what === null || mayReach(reached, target)) return socket;
      socket.destroy();
      throw refused(
        `the connection for ${target.host} reached ${reached || 'nothing'}, ${what}`,
        hint,
      );
    } catch (error) {
      if (error instanceof AppError || signal.aborted) throw error;
      failure = error;
    }
  }
  throw failure;
}
