// Any server that speaks OpenAI's chat completions: OpenAI, OpenRouter, Ollama, LM Studio, vLLM, llama.cpp.
// The SDK is loaded at the first call, not at start.
import { streamSdk } from './ai-sdk.ts';
import type { SdkModel } from './ai-sdk-prompt.ts';
import type { Prices, Provider } from './provider.ts';

export type OpenAiCompatible = {
  name: string;
  base_url: string;
  key: string | null;
  place: 'local' | 'remote';
  /** Where a key comes from when one is needed; null: none is needed. */
  key_variable: string | null;
  prices: Prices;
};

export function createOpenAiCompatible(at: OpenAiCompatible): Provider {
  let factory: Promise<(model: string) => SdkModel> | null = null;
  const load = () => {
    factory ??= import('@ai-sdk/openai-compatible').then(({ createOpenAICompatible }) => {
      const provider = createOpenAICompatible({
        name: at.name,
        baseURL: at.base_url,
        includeUsage: true,
        ...(at.key ? { apiKey: at.key } : {}),
      });
      return (model) => provider.chatModel(model);
    });
    return factory;
  };
  return {
    name: at.name,
    place: at.place,
    problem:
      at.key_variable !== null && at.key === null
        ? `${at.name} needs a key: set ${at.key_variable}`
        : null,
    async *stream(ask, signal) {
      const model = (await load())(ask.model);
      yield* streamSdk({ ask, model, key: at.key, prices: at.prices, signal });
    },
  };
}
