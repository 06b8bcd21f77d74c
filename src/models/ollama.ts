// Ollama's own protocol, /api/chat: the one that takes the size of the context, and that keeps thinking and tools apart.
// Never lets the server cut the conversation in silence: it would lose the task and the tools first.
import { randomUUID } from 'node:crypto';
import type { FinishReason, ModelChunk, ToolCall } from '../domain/message.ts';
import type { Hide } from './hide-keys.ts';
import { httpFetch } from './http-fetch.ts';
import { createAbilities } from './ollama-abilities.ts';
import { toOllamaMessages, toOllamaTools } from './ollama-prompt.ts';
import {
  type OllamaSettings,
  type Prices,
  type Provider,
  type ProviderAsk,
  ProviderFailure,
} from './provider.ts';
import { failureOf } from './provider-words.ts';
import { linesOf } from './read-lines.ts';
import { thinkApart } from './think-apart.ts';
import { usageOf } from './usage.ts';

/** What Ollama makes room for when it is not told. */
const OWN_DEFAULT = 4_096;

type Loose = Record<string, unknown>;
const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Whole numbers are seconds, everything else is a duration in Ollama's words. */
const keepAlive = (text: string): string | number => (/^-?\d+$/.test(text) ? Number(text) : text);

const callOf = (value: unknown): ToolCall => {
  const call = isRecord(value) ? value : {};
  const { name, arguments: args } = isRecord(call.function) ? call.function : {};
  return {
    id: typeof call.id === 'string' && call.id !== '' ? call.id : `call_${randomUUID()}`,
    name: String(name ?? ''),
    // Servers in front of Ollama give text; the loop checks it.
    arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
  };
};

function finishOf(reason: unknown, calls: number): FinishReason {
  if (reason === 'length') return 'length';
  return calls > 0 ? 'tool_calls' : 'stop';
}

async function failed(answer: Response, spec: string, hide: Hide): Promise<ProviderFailure> {
  const body = await answer.text().catch(() => '');
  let message = body;
  try {
    const { error } = JSON.parse(body) as Loose;
    message = isRecord(error) ? String(error.message) : String(error);
  } catch {
    // not JSON: the body is the message
  }
  const retry_after = answer.headers.get('retry-after');
  return failureOf({ spec, status: answer.status, message, body, retry_after }, hide);
}

export type OllamaDeps = OllamaSettings & { prices: Prices; hide: Hide };

export function createOllama({
  base_url: url,
  num_ctx,
  keep_alive,
  prices,
  hide,
}: OllamaDeps): Provider {
  const base_url = url.replace(/\/+$/, '');
  const abilities = createAbilities(base_url);

  const optionsOf = ({ max_output }: ProviderAsk): object => ({
    ...(num_ctx > 0 ? { num_ctx } : {}),
    ...(max_output === undefined ? {} : { num_predict: max_output }),
  });
  const request = (ask: ProviderAsk, thinking: boolean): string => {
    const { model, messages, tools } = ask;
    const options = optionsOf(ask);
    return JSON.stringify({
      model,
      messages: toOllamaMessages(messages),
      stream: true,
      ...(tools.length > 0 ? { tools: toOllamaTools(tools) } : {}),
      ...(thinking ? { think: true } : {}),
      ...(keep_alive === null ? {} : { keep_alive: keepAlive(keep_alive) }),
      ...(Object.keys(options).length > 0 ? { options } : {}),
      truncate: false,
      shift: false,
    });
  };

  /** A failure in words that help: the models that are there, the command that fetches one. */
  async function withoutModel(ask: ProviderAsk, signal: AbortSignal): Promise<ProviderFailure> {
    const names = await abilities.names(signal, ask.tools.length > 0);
    const there = names.length > 0 ? `; there are ${names.join(', ')}` : '';
    const text = `${ask.spec} is not on that server: fetch it with "ollama pull ${ask.model}"${there}`;
    return new ProviderFailure('answer', text, { status: 404 });
  }
  async function withoutTools(ask: ProviderAsk, signal: AbortSignal): Promise<ProviderFailure> {
    const names = await abilities.names(signal, true);
    const others = names.length > 0 ? names.map((n) => `ollama:${n}`).join(', ') : 'none yet';
    const text = `${ask.spec} cannot use tools, which agents need; models there that can: ${others}`;
    return new ProviderFailure('answer', text, { status: 400 });
  }

  async function open(ask: ProviderAsk, signal: AbortSignal): Promise<Response> {
    const able = await abilities.of(ask.model, signal);
    if (able && !able.tools && ask.tools.length > 0) throw await withoutTools(ask, signal);
    const answer = await httpFetch(`${base_url}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: request(ask, able?.thinking ?? false),
      signal,
    });
    if (answer.ok) return answer;
    throw answer.status === 404
      ? await withoutModel(ask, signal)
      : await failed(answer, ask.spec, hide);
  }

  async function* chat(ask: ProviderAsk, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    const { spec } = ask;
    const calls: ToolCall[] = [];
    const answer = await open(ask, signal);
    for await (const line of linesOf(answer.body)) {
      const part = JSON.parse(line) as Loose;
      if (part.error !== undefined)
        throw failureOf({ spec, status: null, message: String(part.error) }, hide);
      const { content, thinking, tool_calls } = isRecord(part.message)
        ? part.message
        : ({} as Loose);
      if (typeof thinking === 'string' && thinking !== '')
        yield { type: 'reasoning', text: thinking };
      if (typeof content === 'string' && content !== '') yield { type: 'text', text: content };
      if (Array.isArray(tool_calls)) calls.push(...tool_calls.map(callOf));
      if (part.done !== true) continue;
      for (const call of calls) yield { type: 'tool_call', call };
      const tokens = { input: count(part.prompt_eval_count), output: count(part.eval_count) };
      const usage = usageOf(tokens, spec, prices);
      yield { type: 'end', finish: finishOf(part.done_reason, calls.length), model: spec, usage };
      return;
    }
    throw new ProviderFailure('network', `${spec} broke off: no end of the answer`);
  }

  async function* named(ask: ProviderAsk, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    try {
      yield* chat(ask, signal);
    } catch (error) {
      if (error instanceof ProviderFailure) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw failureOf({ spec: ask.spec, status: null, message, lost: true }, hide);
    }
  }

  return {
    name: 'ollama',
    place: 'local',
    problem: null,
    context: num_ctx > 0 ? num_ctx : OWN_DEFAULT,
    stream: (ask, signal) => thinkApart(named(ask, signal)),
  };
}
