// Model servers that people run on their own machine: where they listen and how to tell that it is one.
// Asks loopback addresses only (or the Ollama address that was configured), once, with a short deadline.

export type LocalServer = {
  name: string;
  label: string;
  baseUrl(ollama_url: string): string;
  path: string;
  /** Names of its models when the answer has the right shape, else null. */
  models(json: unknown): string[] | null;
};

type Loose = Record<string, unknown>;
const names = (list: unknown, field: string): string[] | null => {
  if (!Array.isArray(list)) return null;
  const found = list.map((row: Loose | null) => row?.[field]);
  return found.every((name) => typeof name === 'string' && name !== '')
    ? (found as string[])
    : null;
};
const openAiList = (json: unknown): string[] | null => names((json as Loose | null)?.data, 'id');
const ollamaList = (json: unknown): string[] | null =>
  names((json as Loose | null)?.models, 'name');
const at = (port: number) => () => `http://127.0.0.1:${port}`;

/** In the order in which they are preferred. */
export const LOCAL_SERVERS: readonly LocalServer[] = [
  {
    name: 'ollama',
    label: 'Ollama',
    baseUrl: (url) => url.replace(/\/+$/, ''),
    path: '/api/tags',
    models: ollamaList,
  },
  {
    name: 'lmstudio',
    label: 'LM Studio',
    baseUrl: at(1234),
    path: '/v1/models',
    models: openAiList,
  },
  {
    name: 'llamacpp',
    label: 'llama.cpp',
    baseUrl: at(8080),
    path: '/v1/models',
    models: openAiList,
  },
  { name: 'vllm', label: 'vLLM', baseUrl: at(8000), path: '/v1/models', models: openAiList },
];

export function isLoopback(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Models that answer in text: an embedding model cannot hold a conversation. */
const isChat = (name: string): boolean => !/embed|rerank|whisper/i.test(name);

/** A found server with at least one model that can talk. */
export type LocalFound = { provider: string; label: string; url: string; models: string[] };

/** A server on this machine answers in a few milliseconds; start-up must not wait for one that does not. */
const PROBE_MS = 500;
const MOST_BYTES = 1024 * 1024;

/** Asks one address; null when nothing there speaks the protocol in time. */
export async function probe(
  server: LocalServer,
  base: string,
  deadline_ms = PROBE_MS,
): Promise<LocalFound | null> {
  try {
    const answer = await fetch(`${base}${server.path}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(deadline_ms),
      headers: { accept: 'application/json' },
    });
    if (!answer.ok || !answer.body) return null;
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > MOST_BYTES) return null;
    }
    const models = server.models(JSON.parse(text))?.filter(isChat) ?? [];
    if (models.length === 0) return null;
    return { provider: server.name, label: server.label, url: base, models };
  } catch {
    return null;
  }
}

/** Asks all of them at once; the first in the order of preference wins. */
export async function probeLocal(
  ollama_url: string,
  servers: readonly LocalServer[] = LOCAL_SERVERS,
): Promise<LocalFound | null> {
  const found = await Promise.all(servers.map((s) => probe(s, s.baseUrl(ollama_url))));
  return found.find((f) => f !== null) ?? null;
}
