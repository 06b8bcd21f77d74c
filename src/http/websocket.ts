// The WebSocket `/v1/ws` (subprotocol troupe.v1): many event streams over one connection.
// A message that breaks the protocol closes the connection with a code of the 4400 series.
import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/schema';
import type { WebSocket } from 'ws';
import { AppError } from '../domain/errors.ts';
import { EVENT_KINDS, type EventFilter } from '../domain/event.ts';
import type { Http } from './context.ts';
import { type Feed, openFeed } from './feed.ts';
import { positionOf } from './position.ts';

export const SUBPROTOCOL = 'troupe.v1';
export const CLOSE = {
  resync: 1013,
  shutdown: 1012,
  bad_message: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  auth_timeout: 4408,
  too_many: 4429,
} as const;

const strict = { additionalProperties: false };
const streamId = Type.String({ minLength: 1, maxLength: 128 });
const one = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));
export const ClientMessage = Type.Union([
  Type.Object({ type: Type.Literal('auth'), token: Type.String({ maxLength: 4096 }) }, strict),
  Type.Object(
    {
      type: Type.Literal('subscribe'),
      id: streamId,
      filter: Type.Optional(
        Type.Object(
          {
            query_id: one,
            task_id: one,
            agent_id: one,
            role: one,
            kinds: Type.Optional(Type.Array(Type.Enum([...EVENT_KINDS]))),
          },
          strict,
        ),
      ),
      after: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Literal('latest')])),
    },
    strict,
  ),
  Type.Object({ type: Type.Literal('unsubscribe'), id: streamId }, strict),
  Type.Object({ type: Type.Literal('ping') }, strict),
]);
type ClientMessage = Static<typeof ClientMessage>;
const SILENT_BEATS = 3;
const TYPES = 'auth, subscribe, unsubscribe, ping';

/** Compiled on the first connection: start stays fast. */
export function createMessageReader() {
  let compiled: ReturnType<typeof Compile> | null = null;
  return (text: string): ClientMessage | string => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return 'a message must be JSON';
    }
    compiled ??= Compile(ClientMessage);
    return compiled.Check(value) ? (value as ClientMessage) : `not a known message (${TYPES})`;
  };
}
type MessageReader = ReturnType<typeof createMessageReader>;

export function serveSocket(
  http: Http,
  read: MessageReader,
  socket: WebSocket,
  request: FastifyRequest,
): void {
  const { limits } = http;
  const feeds = new Map<string, Feed>();
  let welcome = !http.door.needsKey || request.api_key !== null;
  let unanswered = 0;
  let finished = false;
  const say = (message: object): void => socket.send(JSON.stringify(message));

  function finish(code: number, reason: string): void {
    if (finished) return;
    finished = true;
    for (const feed of feeds.values()) feed.close();
    feeds.clear();
    socket.close(code, reason);
    // A peer that does not read never answers the close: it gets a moment, then it is cut.
    const cut = setTimeout(() => socket.terminate(), limits.farewell_ms);
    socket.once('close', () => clearTimeout(cut));
  }
  const late = setTimeout(() => {
    if (!welcome) finish(CLOSE.auth_timeout, 'no key was shown in time');
  }, limits.ws_auth_ms);
  // No answer to so many heartbeats: the peer is gone, whatever the kernel still believes.
  const beat = setInterval(() => {
    unanswered += 1;
    if (unanswered > SILENT_BEATS) return socket.terminate();
    say({ type: 'heartbeat' });
    socket.ping();
  }, limits.heartbeat_ms);
  const forget = http.readers.add('ws', () => {
    say({ type: 'shutdown', retry_ms: limits.retry_ms });
    finish(CLOSE.shutdown, 'the server is shutting down');
  });
  socket.once('close', () => {
    clearTimeout(late);
    clearInterval(beat);
    forget();
    for (const feed of feeds.values()) feed.close();
  });
  socket.on('pong', () => {
    unanswered = 0;
  });
  const act = createActions({ http, feeds, socket, say, finish });
  socket.on('message', (data, isBinary) => {
    unanswered = 0;
    if (finished) return;
    // Answers count, too: who asks without reading is as slow as who only listens.
    if (socket.bufferedAmount > limits.reader_bytes)
      return finish(CLOSE.resync, 'the answers are not read');
    const message = isBinary ? 'a message must be text' : read(data.toString());
    if (typeof message === 'string') return finish(CLOSE.bad_message, message);
    if (message.type === 'auth') {
      welcome = act.auth(message.token, request.ip) || welcome;
      return;
    }
    if (!welcome) return finish(CLOSE.unauthorized, 'the first message must be auth with a key');
    if (message.type === 'ping') return say({ type: 'pong' });
    if (message.type === 'unsubscribe') return act.unsubscribe(message.id);
    void act.subscribe(message);
  });
}

type Connection = {
  http: Http;
  feeds: Map<string, Feed>;
  socket: WebSocket;
  say(message: object): void;
  finish(code: number, reason: string): void;
};

function createActions({ http, feeds, socket, say, finish }: Connection) {
  const { limits, services } = http;
  const sorry = (id: string, error: unknown): void => {
    const known = error instanceof AppError;
    if (!known) http.log.error({ err: error }, 'a subscription failed');
    const code = known ? error.code : 'internal';
    say({ type: 'error', id, code, detail: known ? error.message : 'internal error' });
  };
  const open = (id: string, after: number, filter: EventFilter): Feed =>
    openFeed(
      { events: services.events, hub: services.hub, limits, log: http.log },
      { after, filter },
      {
        send: (_event, json, prev) =>
          socket.send(
            `{"type":"event","id":${JSON.stringify(id)},"prev_seq":${prev},${json.slice(1)}`,
          ),
        unsent: () => socket.bufferedAmount,
        resync(last_seq, reason) {
          http.readers.noteResync();
          say({ type: 'resync', id, last_seq, reason });
          finish(CLOSE.resync, 'resync: subscribe again after last_seq');
        },
      },
    );
  return {
    auth(token: string, ip: string): boolean {
      if (!http.door.needsKey) return true;
      try {
        http.door.check(token, 'read', ip);
        say({ type: 'welcome' });
        return true;
      } catch (error) {
        const refused = error instanceof AppError && error.code === 'forbidden';
        finish(refused ? CLOSE.forbidden : CLOSE.unauthorized, 'this key may not read events');
        return false;
      }
    },
    unsubscribe(id: string): void {
      feeds.get(id)?.close();
      feeds.delete(id);
      say({ type: 'unsubscribed', id });
    },
    async subscribe(ask: Extract<ClientMessage, { type: 'subscribe' }>): Promise<void> {
      try {
        const filter = (ask.filter ?? {}) as EventFilter;
        const after = await positionOf(String(ask.after ?? 0), services.events, filter);
        if (socket.readyState !== socket.OPEN) return;
        if (!feeds.has(ask.id) && feeds.size >= limits.ws_subscriptions)
          return finish(CLOSE.too_many, `at most ${limits.ws_subscriptions} subscriptions`);
        feeds.get(ask.id)?.close();
        say({ type: 'subscribed', id: ask.id, after });
        feeds.set(ask.id, open(ask.id, after, filter));
      } catch (error) {
        sorry(ask.id, error);
      }
    },
  };
}
