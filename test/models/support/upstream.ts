// A model server of the tests: a real HTTP server that answers each request with the next script.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

type Body = Record<string, unknown>;
export type Script = (
  response: ServerResponse,
  request: IncomingMessage,
  body?: Body,
) => void | Promise<void>;
export type Seen = { body: Body; headers: IncomingMessage['headers'] };
export type Upstream = { url: string; seen: Seen[]; closed: () => number };

/** Call inside a test. The last script answers every further request. */
export const upstream = (...scripts: Script[]): Promise<Upstream> => upstreamBeside({}, ...scripts);

/** The same, with answers of its own for some paths; those requests are not among the seen ones. */
export async function upstreamBeside(
  paths: Record<string, Script>,
  ...scripts: Script[]
): Promise<Upstream> {
  const seen: Seen[] = [];
  let closed = 0;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString('utf8');
    const beside = paths[request.url ?? ''];
    const body: Body = text === '' ? {} : JSON.parse(text);
    if (beside) return beside(response, request, body);
    seen.push({ body, headers: request.headers });
    response.on('close', () => {
      if (!response.writableEnded) closed += 1;
    });
    await scripts[Math.min(seen.length, scripts.length) - 1]?.(response, request, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen, closed: () => closed };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

type Delta = Record<string, unknown>;
export const chunk = (delta: Delta, finish: string | null = null): Delta => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
export const usage = (prompt: number, completion: number): Delta => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [],
  usage: {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  },
});
const frames = (events: unknown[], done = true): Buffer =>
  Buffer.from(
    events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join('') + (done ? 'data: [DONE]\n\n' : ''),
  );

const startStream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
};

/** Server-sent events, `bytes` at a time, so that frames and characters are cut anywhere. */
export const stream =
  (events: unknown[], bytes = 1 << 20): Script =>
  async (response) => {
    startStream(response);
    const all = frames(events);
    for (let at = 0; at < all.length; at += bytes) {
      response.write(all.subarray(at, at + bytes));
      await new Promise((next) => setImmediate(next));
    }
    response.end();
  };

/** Sends the events, then breaks the connection. */
export const cutAfter =
  (events: unknown[]): Script =>
  (response) => {
    startStream(response);
    response.write(frames(events, false), () => response.destroy());
  };

/** Sends the events, then nothing, for ever. */
export const hangAfter =
  (events: unknown[]): Script =>
  (response) => {
    startStream(response);
    response.flushHeaders();
    if (events.length > 0) response.write(frames(events, false));
  };
