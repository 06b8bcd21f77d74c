// Any server that speaks OpenAI's chat completions: OpenAI, OpenRouter, LM Studio, vLLM, llama.cpp.
// The SDK is loaded at the first call, not at start.
import { streamSdk } from './ai-sdk.ts';
import type { SdkModel } from './ai-sdk-prompt.ts';
import type { Hide } from './hide-keys.ts';
import { sdkFetch } from './http-fetch.ts';
import type { KeyPool } from './key-pool.ts';
import type { Prices, Provider } from './provider.ts';
import { thinkApart } from './think-apart.ts';

export type OpenAiCompatible = {
  name: string;
  base_url: string;
  keys: KeyPool;
  hide: Hide;
  place: 'local' | 'remote';
  /** Where a key comes from when one is needed; null: none is needed. */
  key_variable: string | null;
  prices: Prices;
  /** Its models take the limit of an answer by its newer name, and some refuse the old one. */
  completion_tokens?: boolean;
};

function newerName({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}

export function createOpenAiCompatible(at: OpenAiCompatible): Provider {
  const { name, place, keys, hide, prices } = at;
  const load = async (key: string | null): Promise<(model: string) => SdkModel> => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name,
      baseURL: at.base_url,
      includeUsage: true,
      ...(at.completion_tokens ? { transformRequestBody: newerName } : {}),
      fetch: sdkFetch,
      ...(key === null ? {} : { apiKey: key }),
    });
    return (model) => provider.chatModel(model);
  };
  return {
    name,
    place,
    problem:
      at.key_variable !== null && keys.size === 0
        ? `${name} needs a key: set ${at.key_variable}`
        : null,
    ...(keys.size > 0 ? { keys: keys.row } : {}),
    stream: (ask, signal) =>
      keys.using(name, async function* (key) {
        const model = (await load(key))(ask.model);
        const chunks = streamSdk({ ask, model, hide, prices, signal });
        yield* place === 'local' ? thinkApart(chunks) : chunks;
      }),
  };
}
