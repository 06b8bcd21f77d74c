// A server that speaks the Agent Protocol, and the LangGraph SDK as its client.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@langchain/langgraph-sdk';
import { onTestFinished } from 'vitest';
import { type StartOptions, startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

export type Json = Record<string, unknown>;
export const say = (content: string) => ({ messages: [{ role: 'user', content }] });

export const clientOf = (url: string) =>
  new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 } });
export type ProtocolClient = ReturnType<typeof clientOf>;

export async function startProtocol(
  options: StartOptions = {},
): Promise<{ server: Troupe; client: ProtocolClient }> {
  const env = { TROUPE_TOPOLOGY: 'single', ...options.env };
  const server = await startTroupe({ ...options, env });
  return { server, client: clientOf(server.url) };
}

export const OVER = ['success', 'error', 'timeout', 'interrupted'];
/** The run when it has ended, or waits for a person. */
export const settled = (client: ProtocolClient, thread_id: string, run_id: string) =>
  until(
    async () => {
      const run = await client.runs.get(thread_id, run_id);
      return OVER.includes(run.status) && (run as typeof run & { error?: string });
    },
    20_000,
    `run ${run_id} to settle`,
  );
export const working = (client: ProtocolClient, thread_id: string, run_id: string) =>
  until(
    async () => (await client.runs.get(thread_id, run_id)).status === 'running',
    10_000,
    `run ${run_id} to work`,
  );

/** What the thread says, one text a message. */
export async function texts(client: ProtocolClient, thread_id: string): Promise<string[]> {
  const { values } = await client.threads.getState<{ messages?: { content: string }[] }>(thread_id);
  return (values.messages ?? []).map(({ content }) => content);
}

export type Told = { headers: IncomingMessage['headers']; body: Json; text: string };
/** A receiver of webhooks; `answer` gives the status of each. */
export async function startReceiver(answer: (n: number) => number = () => 200) {
  const told: Told[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    told.push({ headers: request.headers, body: JSON.parse(text), text });
    response.writeHead(answer(told.length - 1)).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, told };
}
