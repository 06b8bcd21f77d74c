// The table of providers. A new one is a file and a line here.
import { createAnthropicProvider } from './anthropic.ts';
import { keysOf } from './choose.ts';
import { echoProvider } from './echo.ts';
import { createGguf } from './gguf.ts';
import { createHide } from './hide-keys.ts';
import { createKeyPool } from './key-pool.ts';
import { isLoopback, LOCAL_SERVERS, type LocalServer } from './local-servers.ts';
import { offlineProvider } from './offline/index.ts';
import { createOllama } from './ollama.ts';
import { createOpenAiCompatible } from './openai-compatible.ts';
import type { ModelSettings, Provider } from './provider.ts';

const remoteOrLocal = (url: string): 'local' | 'remote' => (isLoopback(url) ? 'local' : 'remote');
const OPENAI_URL = 'https://api.openai.com/v1';

/** `now`: monotonic ms. */
export function builtInProviders(
  settings: ModelSettings,
  now?: () => number,
): ReadonlyMap<string, Provider> {
  const { openai, openrouter, anthropic, ollama, gguf, prices } = settings;
  const poolOf = (of: typeof openai) => createKeyPool(keysOf(of), now);
  const hide = createHide([openai, openrouter, anthropic].flatMap(keysOf));
  const local = (server: LocalServer) =>
    createOpenAiCompatible({
      name: server.name,
      base_url: `${server.baseUrl(ollama.base_url)}/v1`,
      keys: createKeyPool([], now),
      key_variable: null,
      place: 'local',
      hide,
      prices,
    });
  const providers = [
    echoProvider,
    offlineProvider,
    createOpenAiCompatible({
      name: 'openai',
      base_url: openai.base_url,
      keys: poolOf(openai),
      // A server of one's own may need no key.
      key_variable: openai.base_url === OPENAI_URL ? 'OPENAI_API_KEY' : null,
      completion_tokens: openai.base_url === OPENAI_URL,
      place: remoteOrLocal(openai.base_url),
      hide,
      prices,
    }),
    createOpenAiCompatible({
      name: 'openrouter',
      base_url: openrouter.base_url,
      keys: poolOf(openrouter),
      key_variable: 'OPENROUTER_API_KEY',
      place: remoteOrLocal(openrouter.base_url),
      hide,
      prices,
    }),
    createAnthropicProvider({
      base_url: anthropic.base_url,
      keys: poolOf(anthropic),
      hide,
      prices,
    }),
    createOllama({ ...ollama, hide, prices }),
    createGguf({ ...gguf, prices }),
    ...LOCAL_SERVERS.filter(({ name }) => name !== 'ollama').map(local),
  ];
  return new Map(providers.map((p) => [p.name, p]));
}
