// Anthropic's messages API. The SDK is loaded at the first call, not at start.
import { streamSdk } from './ai-sdk.ts';
import type { SdkModel } from './ai-sdk-prompt.ts';
import type { Prices, Provider } from './provider.ts';

export type AnthropicDeps = { base_url: string; key: string | null; prices: Prices };

export function createAnthropicProvider(at: AnthropicDeps): Provider {
  let factory: Promise<(model: string) => SdkModel> | null = null;
  const load = () => {
    factory ??= import('@ai-sdk/anthropic').then(({ createAnthropic }) => {
      const provider = createAnthropic({ baseURL: at.base_url, apiKey: at.key ?? '' });
      return (model) => provider.languageModel(model);
    });
    return factory;
  };
  return {
    name: 'anthropic',
    place: 'remote',
    problem: at.key === null ? 'anthropic needs a key: set ANTHROPIC_API_KEY' : null,
    async *stream(ask, signal) {
      const model = (await load())(ask.model);
      yield* streamSdk({ ask, model, key: at.key, prices: at.prices, signal });
    },
  };
}
