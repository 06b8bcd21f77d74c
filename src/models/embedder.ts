// Texts as vectors, from any server that speaks OpenAI's /embeddings. Never retries: whoever asks can do without.
import { AppError } from '../domain/errors.ts';
import type { Embedder } from '../domain/memory-ports.ts';
import { splitSpec } from './gateway.ts';
import { httpFetch } from './http-fetch.ts';
import { LOCAL_SERVERS } from './local-servers.ts';
import type { ModelSettings } from './provider.ts';

type Place = { base_url: string; key: string | null };

function placesOf({ openai, openrouter, ollama }: ModelSettings): Record<string, Place> {
  const keyed = ({ base_url, api_key, api_keys }: typeof openai): Place => ({
    base_url,
    key: api_key ?? api_keys[0] ?? null,
  });
  const local = LOCAL_SERVERS.map((server): [string, Place] => [
    server.name,
    { base_url: `${server.baseUrl(ollama.base_url)}/v1`, key: null },
  ]);
  return { openai: keyed(openai), openrouter: keyed(openrouter), ...Object.fromEntries(local) };
}

/** One vector for each text, in the order of the texts, whatever the order of the answer. */
function vectorsOf(answer: unknown, count: number): number[][] {
  const rows = (answer as { data?: { index?: number; embedding?: unknown }[] } | null)?.data;
  const vectors: number[][] = [];
  if (Array.isArray(rows))
    for (const [at, { index, embedding }] of rows.entries())
      if (Array.isArray(embedding) && embedding.every((n) => typeof n === 'number'))
        vectors[index ?? at] = embedding;
  if (vectors.length === count && !vectors.includes(undefined as never)) return vectors;
  throw new AppError('model_error', `the answer holds no ${count} vectors`);
}

/** null when none is configured. Throws config_invalid for a provider that has no embeddings. */
export function openEmbedder(spec: string | null, settings: ModelSettings): Embedder | null {
  if (spec === null) return null;
  const { provider, model } = splitSpec(spec);
  const places = placesOf(settings);
  const place = places[provider];
  if (!place || model === '')
    throw new AppError(
      'config_invalid',
      `memory.embedder is "${spec}"; allowed is provider:model with one of ${Object.keys(places).join(', ')}`,
    );
  return {
    model: spec,
    async embed(texts, signal) {
      const answer = await httpFetch(`${place.base_url.replace(/\/+$/, '')}/embeddings`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(place.key === null ? {} : { authorization: `Bearer ${place.key}` }),
        },
        body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
        signal,
      });
      if (!answer.ok) {
        await answer.body?.cancel();
        throw new AppError('model_error', `${spec} answered with HTTP ${answer.status}`);
      }
      return vectorsOf(await answer.json(), texts.length);
    },
  };
}
