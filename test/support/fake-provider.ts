// A real local HTTP server that speaks the chat-completions wire format; what it answers is in the test.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type ChatRequest = {
  messages: {
    role: string;
    content: string | null;
    tool_calls?: unknown[];
    tool_call_id?: string;
  }[];
  tools?: { function: { name: string } }[];
  model: string;
};
type Tokens = { prompt_tokens: number; completion_tokens: number };
export type ChatAnswer =
  | { text: string; usage?: Tokens }
  | { call: string; args: string; usage?: Tokens }
  | { calls: { call: string; args: string }[]; text?: string; usage?: Tokens }
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** Accepts and says nothing. */
  | 'silence';

function stream(
  res: ServerResponse,
  deltas: object[],
  finish: string,
  tokens: Tokens = { prompt_tokens: 10, completion_tokens: 5 },
): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, finish_reason: string | null): void =>
    void res.write(
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  for (const delta of deltas) send(delta, null);
  send({}, finish);
  const usage = { ...tokens, total_tokens: tokens.prompt_tokens + tokens.completion_tokens };
  res.write(`data: ${JSON.stringify({ id: 'x', choices: [], usage })}\n\n`);
  res.end('data: [DONE]\n\n');
}

let ids = 0;

/** `answer` decides by the request and its number (from 0). */
export async function startProvider(answer: (request: ChatRequest, n: number) => ChatAnswer) {
  const requests: ChatRequest[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const request = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
    const said = answer(request, requests.push(request) - 1);
    if (said === 'silence') return;
    if ('status' in said) {
      res.writeHead(said.status, { 'content-type': 'application/json', ...said.headers });
      res.end(JSON.stringify(said.body ?? { error: { message: `fake ${said.status}` } }));
    } else if ('calls' in said || 'call' in said) {
      const { calls, text = null } = 'calls' in said ? said : { calls: [said] };
      const tool_calls = calls.map(({ call, args }, index) => {
        ids += 1;
        return {
          index,
          id: `call_${ids}`,
          type: 'function',
          function: { name: call, arguments: args },
        };
      });
      stream(res, [{ role: 'assistant', content: text, tool_calls }], 'tool_calls', said.usage);
    } else stream(res, [{ role: 'assistant', content: said.text }], 'stop', said.usage);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}
