// Streams one call of an AI SDK LanguageModel as our chunks. Tool calls are held until the finish is known,
// so that a stream that breaks off never leaves half a call behind.
import type { FinishReason, ModelChunk, ToolCall, Usage } from '../domain/message.ts';
import { toFailure } from './ai-sdk-failure.ts';
import { type SdkModel, type SdkPart, toPrompt, toTools } from './ai-sdk-prompt.ts';
import type { Hide } from './hide-keys.ts';
import { type Prices, type ProviderAsk, ProviderFailure } from './provider.ts';
import { reportedIn } from './reported.ts';
import { type Tokens, usageOf } from './usage.ts';

type Finish = Extract<SdkPart, { type: 'finish' }>;

const FINISH: Record<string, FinishReason> = { length: 'length', 'content-filter': 'refusal' };

function usageOfFinish({ usage }: Finish, spec: string, prices: Prices): Usage {
  const { inputTokens, outputTokens } = usage;
  return usageOf(
    {
      input: inputTokens.total ?? 0,
      cached: inputTokens.cacheRead ?? 0,
      output: outputTokens.total ?? 0,
      reasoning: outputTokens.reasoning ?? 0,
    },
    spec,
    prices,
  );
}

export type SdkCall = {
  ask: ProviderAsk;
  model: SdkModel;
  /** Takes keys out of a provider's words. */
  hide: Hide;
  prices: Prices;
  signal: AbortSignal;
};

export async function* streamSdk(call: SdkCall): AsyncGenerator<ModelChunk> {
  const { ask, hide } = call;
  const calls: ToolCall[] = [];
  const withUsage = (failure: ProviderFailure): ProviderFailure => {
    if (reported) failure.usage = usageOf(reported, ask.spec, call.prices);
    return failure;
  };
  let finish: Finish | null = null;
  let reported: Tokens | null = null;
  let reader: ReadableStreamDefaultReader<SdkPart> | null = null;
  try {
    const { stream } = await call.model.doStream({
      prompt: toPrompt(ask.messages),
      ...(ask.tools.length > 0 ? { tools: toTools(ask.tools) } : {}),
      ...(ask.max_output === undefined ? {} : { maxOutputTokens: ask.max_output }),
      abortSignal: call.signal,
      includeRawChunks: true,
    });
    reader = stream.getReader();
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      if (part.type === 'text-delta') yield { type: 'text', text: part.delta };
      else if (part.type === 'reasoning-delta') yield { type: 'reasoning', text: part.delta };
      else if (part.type === 'tool-call')
        calls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input });
      else if (part.type === 'finish') finish = part;
      else if (part.type === 'error') throw part.error;
      else if (part.type === 'raw') reported = reportedIn(part.rawValue, reported);
      // Arguments that are still being written: nothing to pass on, but a sign of life.
      else if (part.type === 'tool-input-delta') yield { type: 'reasoning', text: '' };
    }
  } catch (error) {
    throw withUsage(toFailure(error, ask.spec, hide));
  } finally {
    // Closes the connection when the consumer stops early; harmless after the end.
    void reader?.cancel().catch(() => {});
  }
  if (!finish)
    throw withUsage(new ProviderFailure('network', `${ask.spec} broke off: no end of the answer`));
  for (const done of calls) yield { type: 'tool_call', call: done };
  yield {
    type: 'end',
    finish: FINISH[finish.finishReason.unified] ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    model: ask.spec,
    usage: usageOfFinish(finish, ask.spec, call.prices),
  };
}
