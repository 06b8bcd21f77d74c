// The HTTP server of a role server: what main may ask of it. Loads nothing heavy before the first run.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../domain/errors.ts';
import type { Log } from '../domain/ports.ts';
import type { Envelope } from '../domain/run.ts';
import { bearerCheck } from './bearer.ts';
import { checkEnvelope } from './envelope-check.ts';
import { readJson, sendError, sendJson } from './http-json.ts';
import { type Health, LINE_LIMIT, MESSAGE_LIMIT, proof } from './protocol.ts';

/** What runs envelopes. `start` is idempotent by (run_id, run_token); the same id with another token is a conflict. */
export type Runner = {
  start(envelope: Envelope): void;
  /** Resolves when the model call and the tool's process group are gone. */
  cancel(run_id: string, reason: string): Promise<void>;
  steer(run_id: string, text: string): 'delivered' | 'missed';
  status(run_id: string): { status: string } | null;
  active(): number;
  /** Leaves every run where it stands, after `grace_ms` to reach a checkpoint. */
  close(grace_ms?: number): Promise<void>;
};

export type ChildServerDeps = {
  role: string;
  build: string;
  nonce: string;
  server_token: string;
  /** Loads the loop and the tools; called for the first run, not before. */
  loadRunner: () => Promise<Runner>;
  /** After POST /shutdown. null: finish what runs, then exit; else leave it so many ms from now, then exit. */
  onShutdown: (leave_ms: number | null) => void;
  log: Log;
};
export type ChildServer = {
  /** Listens on the wanted port or, when that cannot be had, on any. Answers the port. */
  listen(bind: { host: string; port: number }): Promise<number>;
  /** The runner, once it is loaded. */
  runner(): Runner | null;
  close(): void;
};

type Call = { req: IncomingMessage; thread_id: string; run_id: string };
type Answer = { status: number; body: unknown };

export function createChildServer(deps: ChildServerDeps): ChildServer {
  const allowed = bearerCheck(deps.server_token);
  let loading: Promise<Runner> | null = null;
  let loaded: Runner | null = null;
  let draining = false;

  const load = (): Promise<Runner> => {
    loading ??= deps.loadRunner().then((runner) => {
      loaded = runner;
      return runner;
    });
    return loading;
  };
  const health = (req: IncomingMessage): Health => ({
    role: deps.role,
    pid: process.pid,
    build: deps.build,
    nonce_proof: proof(deps.nonce, `health:${String(req.headers['x-troupe-challenge'] ?? '')}`),
    active_runs: loaded?.active() ?? 0,
    rss: process.memoryUsage.rss(),
  });

  const routes: Record<string, (call: Call) => Promise<Answer>> = {
    'GET health': async ({ req }) => ok(health(req)),
    'POST shutdown': async ({ req }) => {
      const { leave_ms } = (await readJson(req, LINE_LIMIT)) as { leave_ms?: unknown };
      const leave = typeof leave_ms === 'number' ? leave_ms : null;
      if (!draining || leave !== null) setImmediate(deps.onShutdown, leave);
      draining = true;
      return ok({ active_runs: loaded?.active() ?? 0 });
    },
    'POST threads/*/runs': async ({ req, thread_id }) => {
      const envelope = checkEnvelope(await readJson(req, MESSAGE_LIMIT), thread_id, deps.role);
      if (draining) throw new AppError('shutting_down', `the ${deps.role} role server is draining`);
      (await load()).start(envelope);
      return ok({ run_id: envelope.run_id, status: 'pending' });
    },
    'GET threads/*/runs/*': async ({ run_id }) => {
      const state = loaded?.status(run_id) ?? null;
      if (state === null) throw new AppError('not_found', `no run ${run_id} here`);
      return ok({ run_id, ...state });
    },
    'POST threads/*/runs/*/cancel': async ({ req, run_id }) => {
      const { reason } = (await readJson(req, MESSAGE_LIMIT)) as { reason?: unknown };
      // A start may be on the way: the runner has to know of the cancel, loaded or not.
      await (await load()).cancel(run_id, typeof reason === 'string' ? reason : 'cancelled');
      return ok({ run_id, status: 'cancelled' });
    },
    'POST threads/*/runs/*/messages': async ({ req, run_id }) => {
      const { text } = (await readJson(req, MESSAGE_LIMIT)) as { text?: unknown };
      if (typeof text !== 'string') throw new AppError('bad_request', 'text is not a text');
      return ok({ result: loaded?.steer(run_id, text) ?? 'missed' });
    },
  };

  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => {
      if (!(error instanceof AppError)) deps.log.error({ error: String(error) }, 'request failed');
      sendError(res, error);
    });
  });
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!allowed(req.headers.authorization))
      throw new AppError('unauthorized', 'this role server answers only the main that started it');
    const path = (req.url ?? '').split('?')[0]?.split('/').slice(1) ?? [];
    const shape = path.map((part, at) => (at === 1 || at === 3 ? '*' : part)).join('/');
    const route = routes[`${req.method} ${shape}`];
    if (!route) throw new AppError('not_found', 'no such route');
    const { status, body } = await route({ req, thread_id: path[1] ?? '', run_id: path[3] ?? '' });
    sendJson(res, status, body);
  }
  bound(server);

  return {
    listen: ({ host, port }) => listen(server, host, port),
    runner: () => loaded,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const ok = (body: unknown): Answer => ({ status: 200, body });

/** Limits of a server that only one trusted process calls; the caller ends idle connections, not we. */
function bound(server: Server): void {
  server.keepAliveTimeout = 0; // a connection closed by us while main sends on it would look like a crash
  server.headersTimeout = 10_000; // loopback: a request that takes longer is stuck
  server.requestTimeout = 30_000; // the same, with an 8 MiB envelope on a busy machine
  server.maxConnections = 256;
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  const attempt = (wanted: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port: wanted, exclusive: true }, () => {
        server.removeListener('error', reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  if (port === 0) return attempt(0);
  return attempt(port).catch(() => attempt(0));
}
