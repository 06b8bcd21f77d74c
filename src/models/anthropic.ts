// Anthropic's messages API. The SDK is loaded at the first call, not at start.
import { streamSdk } from './ai-sdk.ts';
import type { Hide } from './hide-keys.ts';
import { sdkFetch } from './http-fetch.ts';
import type { KeyPool } from './key-pool.ts';
import type { Prices, Provider } from './provider.ts';

export type AnthropicDeps = { base_url: string; keys: KeyPool; hide: Hide; prices: Prices };

export function createAnthropicProvider({ base_url, keys, hide, prices }: AnthropicDeps): Provider {
  return {
    name: 'anthropic',
    place: 'remote',
    problem: keys.size === 0 ? 'anthropic needs a key: set ANTHROPIC_API_KEY' : null,
    ...(keys.size > 0 ? { keys: keys.row } : {}),
    stream: (ask, signal) =>
      keys.using('anthropic', async function* (key) {
        const { createAnthropic } = await import('@ai-sdk/anthropic');
        const sdk = createAnthropic({ baseURL: base_url, apiKey: key ?? '', fetch: sdkFetch });
        const model = sdk.languageModel(ask.model);
        yield* streamSdk({ ask, model, hide, prices, signal });
      }),
  };
}
