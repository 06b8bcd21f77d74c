// The door: Host, Origin, then the key, all in onRequest, before a body is read. Never logs a key.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { type Door, refuseHost, refuseOrigin } from './host.ts';
import type { ApiKey, HttpConfig, Scope } from './limits.ts';

/** `open`: no key at all. `first_message`: a WebSocket may show its key after the upgrade. */
type RouteScope = Scope | 'open' | 'first_message';
declare module 'fastify' {
  interface FastifyContextConfig {
    /** Without one: GET and HEAD need `read`, everything else `run`. */
    scope?: RouteScope;
  }
  interface FastifyRequest {
    /** The key that was shown; null when none was needed. */
    api_key: ApiKey | null;
  }
}

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The same work for every key and every guess. */
function findKey(token: string, keys: readonly ApiKey[]): ApiKey | null {
  const shown = sha256(token);
  let found: ApiKey | null = null;
  for (const key of keys) if (timingSafeEqual(shown, Buffer.from(key.sha256, 'hex'))) found = key;
  return found;
}

export const allows = (key: ApiKey, scope: Scope): boolean =>
  key.scopes.includes(scope) || key.scopes.includes('admin');

const WS_BEARER = 'bearer.';
/** Browsers cannot set headers on a WebSocket: there the key travels as a subprotocol. */
function fromSubprotocol(header: string | undefined): string | null {
  const offered = (header ?? '').split(',').map((part) => part.trim());
  const bearer = offered.find((part) => part.startsWith(WS_BEARER));
  return bearer ? Buffer.from(bearer.slice(WS_BEARER.length), 'base64url').toString('utf8') : null;
}

function tokenOf(request: FastifyRequest): string | null {
  const { authorization, 'x-api-key': header } = request.headers;
  const bearer = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (bearer) return bearer;
  if (typeof header === 'string' && header !== '') return header;
  return request.ws ? fromSubprotocol(request.headers['sec-websocket-protocol']) : null;
}

/** Counts wrong keys per address. Right keys always pass, so nobody can lock another one out. */
function createGuessLimit(perMinute: number, clock: Clock) {
  const seen = new Map<string, { count: number; until: number }>();
  return (ip: string): boolean => {
    const now = clock.mono();
    const entry = seen.get(ip);
    if (entry && entry.until > now) {
      entry.count += 1;
      return entry.count > perMinute;
    }
    if (seen.size >= 10_000) seen.clear();
    seen.set(ip, { count: 1, until: now + 60_000 });
    return false;
  };
}

const defaultScope = (method: string): Scope =>
  method === 'GET' || method === 'HEAD' ? 'read' : 'run';

export function createDoor(config: HttpConfig, perMinute: number, clock: Clock) {
  const tooMany = createGuessLimit(perMinute, clock);
  const door: Door = config;

  function wrongKey(ip: string): AppError {
    if (tooMany(ip))
      return new AppError('rate_limited', 'too many wrong keys from this address; wait a minute');
    return new AppError('unauthorized', 'this API key is not known here');
  }
  /** The key behind a token, or the error to answer with. */
  function check(token: string, scope: Scope, ip: string): ApiKey {
    const key = findKey(token, config.api_keys);
    if (key === null) throw wrongKey(ip);
    if (!allows(key, scope))
      throw new AppError(
        'forbidden',
        `the key "${key.name}" may not do this: it needs the scope ${scope} and has ${key.scopes.join(', ') || 'none'}`,
      );
    return key;
  }
  function enter(request: FastifyRequest): void {
    const refused =
      refuseHost(request.host, door) ?? refuseOrigin(request.headers.origin, request.host, door);
    if (refused) throw refused;
    const scope = request.routeOptions.config.scope ?? defaultScope(request.method);
    if (scope === 'open' || config.api_keys.length === 0 || request.method === 'OPTIONS') return;
    const token = tokenOf(request);
    if (token !== null)
      request.api_key = check(token, scope === 'first_message' ? 'read' : scope, request.ip);
    else if (scope !== 'first_message')
      throw new AppError(
        'unauthorized',
        'this server needs an API key: send it as "Authorization: Bearer <key>" or "x-api-key: <key>"',
      );
  }
  return {
    check,
    needsKey: config.api_keys.length > 0,
    install(app: FastifyInstance): void {
      app.decorateRequest('api_key', null);
      app.addHook('onRequest', async (request) => enter(request));
    },
  };
}
export type KeyDoor = ReturnType<typeof createDoor>;
