// A gateway of the tests: real providers, real sockets, no waiting between tries.

import type { Message, ModelChunk, ToolSpec } from '../../../src/domain/message.ts';
import type { PolicyNote } from '../../../src/domain/policy.ts';
import { type Clock, type ModelCaller, silentLog, systemClock } from '../../../src/domain/ports.ts';
import { createGateway } from '../../../src/models/gateway.ts';
import { builtInProviders } from '../../../src/models/index.ts';
import type { ModelSettings, Provider } from '../../../src/models/provider.ts';
import type { Routing } from '../../../src/models/route.ts';
import type { Spending } from '../../../src/models/spending.ts';
import type { ModelTry } from '../../../src/models/tries.ts';

export const KEY = 'sk-test-0123456789abcdef';
export const caller: ModelCaller = {
  query_id: 'q',
  task_id: null,
  agent_id: null,
  role: 'main',
  run_id: 'r',
};
const settings = (base_url: string): ModelSettings => ({
  context_tokens: 128_000,
  first_token_timeout_s: 10,
  total_timeout_s: 10,
  local_first_token_timeout_s: 10,
  local_total_timeout_s: 10,
  openai: { api_key: KEY, api_keys: [], base_url: `${base_url}/v1` },
  openrouter: { api_key: null, api_keys: [], base_url: `${base_url}/v1` },
  anthropic: { api_key: KEY, api_keys: [], base_url: `${base_url}/v1` },
  ollama: { base_url, num_ctx: 16_384, keep_alive: null },
  gguf: { num_ctx: 0 },
  prices: { 'openai:m': { input: 1, output: 2 } },
});

/** For tests that are not about what calls cost. */
const noAccount: Spending = {
  step() {},
  hold: async () => ({ max_output: null, used: async () => {}, broke: async () => {} }),
  open: async () => {},
  today: () => Promise.reject(new Error('nothing is counted here')),
};

export type TestGateway = ReturnType<typeof testGateway>;
export function testGateway(
  url: string,
  more: {
    settings?: Partial<ModelSettings>;
    clock?: Clock;
    providers?: Provider[];
    chosen?: string;
    routing?: Partial<Routing>;
    random?: () => number;
    spending?: Spending;
  } = {},
) {
  const published: string[] = [];
  const notes: PolicyNote[] = [];
  const logged: string[] = [];
  const note = (f: object, m: string) => logged.push(JSON.stringify(f) + m);
  const log = { ...silentLog, info: note, warn: note, error: note };
  const all = { ...settings(url), ...more.settings };
  const clock = more.clock ?? systemClock;
  const providers = new Map(builtInProviders(all, () => clock.mono()));
  const tries: ModelTry[] = [];
  for (const provider of more.providers ?? []) providers.set(provider.name, provider);
  const gateway = createGateway({
    routing: {
      chosen: { model: more.chosen ?? 'openai:m', why: 'test' },
      fallback: [],
      cheap: null,
      strong: null,
      roles: new Map(),
      ...more.routing,
    },
    settings: all,
    providers,
    notePolicy: (_caller, note) => void notes.push(note),
    emitOutput: (_, text) => published.push(text),
    spending: more.spending ?? noAccount,
    log: log as typeof silentLog,
    clock,
    random: more.random ?? (() => 0),
  });
  gateway.onTry((request) => tries.push(request));
  return { gateway, published, logged, notes, tries };
}

export const hello: Message[] = [{ role: 'user', content: 'hello' }];

export async function collect(
  { gateway }: TestGateway,
  ask: {
    model?: string;
    messages?: Message[];
    tools?: ToolSpec[];
    signal?: AbortSignal;
    role?: string;
    after?: string;
  } = {},
): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  const { model = 'default', messages = hello, tools = [] } = ask;
  const signal = ask.signal ?? new AbortController().signal;
  const request = { model, messages, tools, ...(ask.after ? { after: ask.after } : {}) };
  const who = { ...caller, role: ask.role ?? caller.role };
  for await (const c of gateway.call(request, who, signal)) chunks.push(c);
  return chunks;
}
export const textOf = (chunks: ModelChunk[]): string =>
  chunks.map((c) => (c.type === 'text' ? c.text : '')).join('');
export const last = (chunks: ModelChunk[]): ModelChunk => {
  const ends = chunks.filter((c) => c.type === 'end' || c.type === 'error');
  const end = chunks.at(-1);
  if (ends.length !== 1 || !end || end !== ends[0])
    throw new Error(`not exactly one end: ${JSON.stringify(chunks)}`);
  return end;
};
