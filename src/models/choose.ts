// Which model `default` means: one predicate for every entry point. Pure.
// What somebody named explicitly wins and never falls back to a provider nobody chose.
import type { LocalFound } from './local-servers.ts';

export type ChoiceFacts = {
  /** A model somebody named, and where: `--model`, `TROUPE_MODEL`, `config.toml:12`. */
  explicit: { model: string; from: string } | null;
  /** Providers whose key is known. */
  keys: readonly ('openai' | 'anthropic' | 'openrouter')[];
  local: LocalFound | null;
};
export type Choice = { model: string; why: string };

/** All keys of a provider, as the configuration has them. */
export const keysOf = (of: {
  readonly api_key: string | null;
  readonly api_keys: readonly string[];
}): string[] => [of.api_key, ...of.api_keys].filter((key) => key !== null);

/** In the order in which they are preferred: model when only the key is known. */
export const KEYED = [
  { provider: 'openai', model: 'gpt-4o-mini', variable: 'OPENAI_API_KEY' },
  { provider: 'anthropic', model: 'claude-sonnet-5', variable: 'ANTHROPIC_API_KEY' },
  { provider: 'openrouter', model: 'openrouter/auto', variable: 'OPENROUTER_API_KEY' },
] as const;

/** Preferred among the models of a local server. */
const PREFERRED_LOCAL = /coder|instruct/i;

export function choose({ explicit, keys, local }: ChoiceFacts): Choice {
  if (explicit) return { model: explicit.model, why: `set by ${explicit.from}` };
  const keyed = KEYED.find((k) => keys.includes(k.provider));
  if (keyed) return { model: `${keyed.provider}:${keyed.model}`, why: `${keyed.variable} is set` };
  if (local) {
    const model = local.models.find((name) => PREFERRED_LOCAL.test(name)) ?? local.models[0];
    if (model)
      return { model: `${local.provider}:${model}`, why: `${local.label} answers at ${local.url}` };
  }
  return { model: 'offline', why: 'no model is set, no key is known and no local server answers' };
}

/** Whether a probe of this machine can change the choice: it is not made when it cannot. */
export const needsProbe = (facts: Pick<ChoiceFacts, 'explicit' | 'keys'>): boolean =>
  facts.explicit === null && facts.keys.length === 0;

export const HOW_TO_SET =
  'set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENROUTER_API_KEY, start Ollama (OLLAMA_BASE_URL), or name one with TROUPE_MODEL=provider:model';

/** The line that every entry point prints and logs. */
export function announcement({ model, why }: Choice): string {
  if (model === 'offline')
    return `model: offline rules, no AI model is used (${why}). For a model: ${HOW_TO_SET}.`;
  return `model: ${model} (${why})`;
}
