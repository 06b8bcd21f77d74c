// A server that speaks the shapes of the native API over real sockets, with just enough behind them to be asked.
// Tests write events and rows; it never decides anything by itself.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { EventKind, TroupeEvent } from '../../src/domain/event.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;
export type Asked = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
};

export const QUERY = '0198c0de-0000-7000-8000-000000000001';
export const TASK = '0198c0de-0000-7000-8000-000000000002';
export const AGENT = 'sa_0123456789ab';
const AT = '2026-01-01T12:00:01.000Z';
const USAGE = {
  input_tokens: 1,
  output_tokens: 2,
  reasoning_tokens: 0,
  cost_usd: null,
  model_calls: 1,
};

export const queryRow = (more: object = {}) => ({
  ...{ query_id: QUERY, kind: 'agent', input: 'build it', status: 'running', answer: null },
  ...{
    branched: false,
    workdir: '/state/query_sessions/1',
    options: {},
    usage: USAGE,
    error: null,
  },
  ...{ created_at: AT, updated_at: AT, ...more },
});
export const taskRow = (more: object = {}) => ({
  ...{ task_id: TASK, run_id: 'run-1', query_id: QUERY, parent_task_id: null, status: 'running' },
  ...{
    subagent_type: 'backend',
    description: 'make the API',
    waiting: null,
    depth: 1,
    attempts: [],
  },
  ...{
    result: null,
    error: null,
    partial_output: '',
    usage: USAGE,
    created_at: AT,
    updated_at: AT,
  },
  ...more,
});
export const agentRow = (more: object = {}) => ({
  ...{
    agent_id: AGENT,
    role: 'backend',
    ordinal: 1,
    task_summary: 'make the API',
    state: 'running',
  },
  ...{ depth: 1, pid: 4242, port: 40001, task_id: TASK, query_id: QUERY, parent_id: 'main-agent' },
  ...more,
});
/** An event of the query, of its one task when the kind is about one. */
export const event = (
  seq: number,
  kind: EventKind,
  state: string,
  more: Partial<TroupeEvent> = {},
): TroupeEvent => {
  const ofTask = kind === 'subagent' || kind === 'tool';
  return {
    ...{ seq, kind, state, detail: '', data: {}, at: AT },
    ...{ query_id: kind === 'server' ? null : QUERY, task_id: ofTask ? TASK : null },
    ...{ agent_id: ofTask ? AGENT : null, role: ofTask || kind === 'server' ? 'backend' : null },
    ...more,
  };
};

export const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, {
    'content-type': status < 400 ? 'application/json' : 'application/problem+json',
  });
  response.end(JSON.stringify(body));
};
export const problem = (response: ServerResponse, status: number, code: string, detail: string) =>
  json(response, status, { type: `urn:troupe:problem:${code}`, title: code, status, detail, code });

export const frame = (e: TroupeEvent): string =>
  `id: ${e.seq}\nevent: ${e.kind}\ndata: ${JSON.stringify(e)}\n\n`;

/** `routes`: by "METHOD /path"; a path ends where the query string begins. Everything else is 404. */
export async function fakeServer(routes: Record<string, Handler> = {}) {
  const asked: Asked[] = [];
  const streams = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  const log: TroupeEvent[] = [];

  const wanted = (url: URL, e: TroupeEvent): boolean =>
    (!url.pathname.startsWith('/v1/queries/') || e.query_id === QUERY) &&
    (url.searchParams.get('kinds') ?? e.kind) === e.kind;
  const events: Handler = (request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    const given = request.headers['last-event-id'] ?? url.searchParams.get('after') ?? 0;
    const after = given === 'latest' ? (log.at(-1)?.seq ?? 0) : Number(given);
    const due = log.filter((e) => e.seq > after && wanted(url, e));
    if (request.headers.accept !== 'text/event-stream') {
      json(response, 200, { data: due, next_cursor: null });
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`: hello\n\n${due.map(frame).join('')}`);
    streams.add(response);
    response.on('close', () => streams.delete(response));
  };
  const known: Record<string, Handler> = {
    'GET /v1/events': events,
    [`GET /v1/queries/${QUERY}/events`]: events,
    [`GET /v1/queries/${QUERY}`]: (_, response) => json(response, 200, queryRow()),
    [`GET /v1/queries/${QUERY}/files`]: (_, response) =>
      json(response, 200, { data: [], next_cursor: null }),
    [`GET /v1/subagents/${AGENT}`]: (_, response) => json(response, 200, agentRow()),
    'POST /v1/queries': (_, response) => json(response, 202, queryRow()),
    ...routes,
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', headers, url = '/' } = request;
      const path = url.split('?')[0] ?? '/';
      const body = Buffer.concat(chunks).toString();
      asked.push({ method, path: url, headers, body });
      const handler = known[`${method} ${path}`];
      if (handler) handler(request, response, body);
      else problem(response, 404, 'not_found', `there is no ${path}`);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  /** Cuts every connection at once, as a crash does. */
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      cut();
    });
  const port = await listen(0);
  onTestFinished(async () => {
    if (server.listening) await stop();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    streams,
    routes: known,
    /** Commits events: stored for replays and sent to every open stream that wants them. */
    emit(...rows: TroupeEvent[]): void {
      log.push(...rows);
      for (const response of streams) {
        const url = new URL(response.req.url ?? '/', 'http://fake');
        for (const e of rows) if (wanted(url, e)) response.write(frame(e));
      }
    },
    /** Stored, and sent to nobody now. */
    store(...rows: TroupeEvent[]): void {
      log.push(...rows);
    },
    cut,
    stop,
    restart: listen,
  };
}
export type FakeServer = Awaited<ReturnType<typeof fakeServer>>;
