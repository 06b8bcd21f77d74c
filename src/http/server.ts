// The HTTP server of main: listens, and closes in a known order and in bounded time.
import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { buildApp, type HttpDeps } from './app.ts';
import type { App, Http } from './context.ts';

export type HttpServer = {
  /** Rejects when the port is taken or the host is not ours. */
  listen(): Promise<{ host: string; port: number }>;
  /** Tells every reader, ends waits, closes; resolves within seconds, once. */
  close(): Promise<void>;
  /** null until it listens. */
  address(): { host: string; port: number } | null;
};

/** Counts what happens, from now on. Takes every event at once, so it is never dropped as slow. */
async function countEvents({ services, metrics, log }: Http): Promise<{ close(): void }> {
  return services.hub.subscribe({
    after: await services.events.last(),
    filter: { kinds: ['query', 'subagent', 'server', 'notice'] },
    push({ event }) {
      metrics.count(event);
      return true;
    },
    resync: (last_seq, why) => log.warn({ last_seq, why }, 'metrics stopped counting events'),
  });
}

/** Every open connection, upgraded ones too: the server itself forgets those. */
function trackSockets(server: Server): { destroyAll(): void } {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

type Running = {
  app: App;
  http: Http;
  counting: { close(): void };
  sockets: { destroyAll(): void };
};

export function createHttpServer(deps: HttpDeps): HttpServer {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // every request that waits listens to it, and leaves with its connection
  let running: Running | null = null;
  let listening: Promise<{ host: string; port: number }> | null = null;
  let closed: Promise<void> | null = null;

  function address(): { host: string; port: number } | null {
    const bound = running?.app.server.address();
    return bound && typeof bound === 'object' ? { host: bound.address, port: bound.port } : null;
  }
  async function listen(): Promise<{ host: string; port: number }> {
    const { host, port } = deps.config;
    const { app, http } = await buildApp(deps, closing.signal);
    app.server.maxConnections = http.limits.max_connections;
    const sockets = trackSockets(app.server);
    running = { app, http, sockets, counting: await countEvents(http) };
    http.metrics.start();
    http.services.models.onTry(http.metrics.asked);
    await app.listen({ host, port });
    return address() ?? { host, port };
  }
  async function close(): Promise<void> {
    closing.abort();
    // A start under way ends first: what it opened is closed with the rest.
    await listening?.catch(() => {});
    if (!running) return;
    const { app, http, counting, sockets } = running;
    http.readers.farewell();
    counting.close();
    http.metrics.stop();
    const cut = setTimeout(sockets.destroyAll, http.limits.close_ms);
    try {
      await app.close();
    } finally {
      clearTimeout(cut);
    }
  }
  return {
    listen: () => {
      listening ??= listen();
      return listening;
    },
    close: () => {
      closed ??= close();
      return closed;
    },
    address,
  };
}
