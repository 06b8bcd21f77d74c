// What a provider of language models is to the gateway. One provider, one file, one line in index.ts.
// A provider translates and streams; it never retries, never times out and never publishes.
import type { Message, ModelChunk, ToolSpec } from '../domain/message.ts';

/** USD per million tokens by `provider:model`; a model without a row has no known price. */
export type Prices = Readonly<Record<string, { readonly input: number; readonly output: number }>>;

/** The `models` section of the configuration. Seconds; 0 = no limit. */
export type ModelSettings = {
  readonly first_token_timeout_s: number;
  readonly total_timeout_s: number;
  readonly local_first_token_timeout_s: number;
  readonly local_total_timeout_s: number;
  readonly openai: { readonly api_key: string | null; readonly base_url: string };
  readonly openrouter: { readonly api_key: string | null; readonly base_url: string };
  readonly anthropic: { readonly api_key: string | null; readonly base_url: string };
  readonly ollama: { readonly base_url: string };
  readonly prices: Prices;
};

/** `model` is the part after `provider:`; `spec` the whole. */
export type ProviderAsk = { spec: string; model: string; messages: Message[]; tools: ToolSpec[] };

export type Provider = {
  name: string;
  /**
   * `inproc`: answers from this process, heeds the signal itself and needs no deadline.
   * `local`: a server on this machine, which may have to load the model first.
   */
  place: 'inproc' | 'local' | 'remote';
  /** null when it can be called; else what is missing and how to give it. */
  problem: string | null;
  /** Ends with one `end` or `error` chunk, or throws a ProviderFailure. Tool calls come whole. */
  stream(ask: ProviderAsk, signal: AbortSignal): AsyncIterable<ModelChunk>;
};

/** Why a call to a provider failed. The message is safe to show: it holds no key and no prompt. */
export class ProviderFailure extends Error {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** The Retry-After header as it came. */
  readonly retry_after: string | null;
  readonly kind: 'answer' | 'network' | 'timeout' | 'refused';
  constructor(
    kind: ProviderFailure['kind'],
    message: string,
    more: { status?: number | null; retry_after?: string | null; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'ProviderFailure';
    this.kind = kind;
    this.status = more.status ?? null;
    this.retry_after = more.retry_after ?? null;
  }
}
