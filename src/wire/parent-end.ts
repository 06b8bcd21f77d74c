// Main's second loopback listener: what a run may ask of main. The bearer is the token of one run; everything
// else about the caller follows from it. Never reachable from the public listener.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../domain/errors.ts';
import type { Log } from '../domain/ports.ts';
import type { RunHost } from '../domain/run.ts';
import { bearerOf } from './bearer.ts';
import { errorBody, readJson, sendError, sendJson } from './http-json.ts';
import {
  checkAskCall,
  checkBrainCall,
  checkMemoryCall,
  checkModel,
  checkPolicy,
  checkProgress,
  checkResult,
  checkStep,
  checkTaskCall,
  checkToolStart,
} from './message-check.ts';
import { INTERNAL, MESSAGE_LIMIT } from './protocol.ts';

export { createRoleClient, type RoleConnection } from './role-client.ts';

export type InternalServerDeps = {
  /** The host of a living run, or null: the caller is fenced off (401). */
  hostFor: (run_token: string) => RunHost | null;
  /** A sign of life of whoever holds this token. */
  onHeard?: (run_token: string) => void;
  log: Log;
};
export type InternalServer = {
  /** Listens on a free loopback port; answers `http://127.0.0.1:PORT`. */
  listen(): Promise<string>;
  close(): Promise<void>;
};

// One reason for all: an abort without one would build an exception with its stack, once a call.
const LEFT = new AppError('cancelled', 'the caller has left');

type Handler = (host: RunHost, body: unknown, signal: AbortSignal) => Promise<unknown>;
const done = { ok: true };
const HANDLERS: Record<string, Handler> = {
  [INTERNAL.steps]: async (host, body) => {
    const { delta, receipts } = checkStep(body);
    await host.step(delta, receipts);
    return done;
  },
  [INTERNAL.tools]: async (host, body) => {
    await host.toolStarted(checkToolStart(body));
    return done;
  },
  [INTERNAL.tasks]: (host, body, signal) => host.tasks(checkTaskCall(body), signal),
  [INTERNAL.policy]: async (host, body) => {
    await host.policy(checkPolicy(body));
    return done;
  },
  [INTERNAL.memory]: (host, body) => host.memory(checkMemoryCall(body)),
  [INTERNAL.brain]: (host, body) => host.brain(checkBrainCall(body)),
  [INTERNAL.ask]: (host, body, signal) => host.ask(checkAskCall(body), signal),
  [INTERNAL.progress]: async (host, body) => {
    host.progress(checkProgress(body));
    return done;
  },
  [INTERNAL.result]: async (host, body) => {
    const { outcome, last } = checkResult(body);
    await host.result(outcome, last);
    return done;
  },
};

export function createInternalServer(deps: InternalServerDeps): InternalServer {
  const server = createServer((req, res) => {
    // A caller that goes away is not an error: the run's other calls say what became of it.
    res.on('error', () => {});
    answer(deps, req, res).catch((error: unknown) => {
      if (!(error instanceof AppError))
        deps.log.error({ path: req.url, error: String(error) }, 'internal call failed');
      sendError(res, error);
    });
  });
  server.keepAliveTimeout = 0; // the child ends idle connections; see the child's server
  server.headersTimeout = 10_000; // loopback: slower than this is stuck
  server.requestTimeout = 60_000; // receiving 8 MiB on a busy machine
  return {
    async listen() {
      server.listen({ host: '127.0.0.1', port: 0 });
      await once(server, 'listening');
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(deps: InternalServerDeps, req: IncomingMessage, res: ServerResponse) {
  const token = bearerOf(req.headers.authorization);
  const host = token === null ? null : deps.hostFor(token);
  if (token === null || host === null)
    throw new AppError('unauthorized', 'this run token is not (or no longer) valid');
  deps.onHeard?.(token);
  const path = req.url ?? '';
  const handler = HANDLERS[path];
  if (req.method !== 'POST' || (handler === undefined && path !== INTERNAL.model))
    throw new AppError('not_found', 'no such route');
  const gone = new AbortController();
  res.once('close', () => gone.abort(LEFT));
  const body = await readJson(req, MESSAGE_LIMIT);
  if (handler) sendJson(res, 200, await handler(host, body, gone.signal));
  else await streamModel(host, body, res, gone.signal);
}

/** Characters that may gather within a turn of the loop before they are written. */
const FLUSH_AT = 16_384;

/** One chunk a line. Waits for a slow reader; a reader that leaves cancels the call. */
async function streamModel(host: RunHost, body: unknown, res: ServerResponse, gone: AbortSignal) {
  const request = checkModel(body);
  // Chunks that come in one turn of the loop leave in one write: a write costs more than a chunk.
  let waiting = '';
  let begun = false;
  const flush = (): boolean => {
    const text = waiting;
    waiting = '';
    if (text === '' || gone.aborted || res.writableEnded) return true;
    if (!res.headersSent) res.writeHead(200, { 'content-type': 'application/x-ndjson' });
    return res.write(text);
  };
  const write = async (chunk: unknown): Promise<void> => {
    begun = true;
    if (waiting === '') setImmediate(flush);
    waiting += `${JSON.stringify(chunk)}\n`;
    if (waiting.length < FLUSH_AT || flush() || gone.aborted) return;
    await once(res, 'drain', { signal: gone }).catch(() => {});
  };
  try {
    for await (const chunk of host.model(request, gone)) {
      if (gone.aborted) return;
      await write(chunk);
    }
  } catch (error) {
    if (gone.aborted) return;
    const { code, message } = errorBody(error);
    // Errors of the model are data; others (fenced, disk full) keep their status while that is possible.
    if (!code.startsWith('model_') && !begun) throw error;
    await write({
      type: 'error',
      code: code.startsWith('model_') ? code : 'model_error',
      message,
    });
  }
  if (!res.headersSent) res.writeHead(200, { 'content-type': 'application/x-ndjson' });
  res.end(waiting);
  waiting = '';
}
