// What a provider of language models is to the gateway. One provider, one file, one line in index.ts.
// A provider translates and streams; it never retries, never times out and never publishes.
import type { Message, ModelChunk, ToolSpec, Usage } from '../domain/message.ts';

/** USD per million tokens by `provider:model`; a model without a row has no known price. */
export type Prices = Readonly<
  Record<
    string,
    { readonly input: number; readonly output: number; readonly cached_input?: number }
  >
>;

/** `api_keys`: more keys beside the one. */
type Keyed = {
  readonly api_key: string | null;
  readonly api_keys: readonly string[];
  readonly base_url: string;
};
export type OllamaSettings = {
  readonly base_url: string;
  readonly num_ctx: number;
  readonly keep_alive: string | null;
};
/** The `models` section of the configuration. Seconds; 0 = no limit. */
export type ModelSettings = {
  /** Tokens of context of models that do not say. */
  readonly context_tokens: number;
  readonly first_token_timeout_s: number;
  readonly total_timeout_s: number;
  readonly local_first_token_timeout_s: number;
  readonly local_total_timeout_s: number;
  readonly openai: Keyed;
  readonly openrouter: Keyed;
  readonly anthropic: Keyed;
  readonly ollama: OllamaSettings;
  readonly gguf: { readonly num_ctx: number };
  readonly prices: Prices;
};

/** `model` is the part after `provider:`; `spec` the whole. */
export type ProviderAsk = {
  spec: string;
  model: string;
  messages: Message[];
  tools: ToolSpec[];
  /** Most tokens of the answer; absent: as many as the model will. */
  max_output?: number;
};

/** How many keys there are, and how many of them are resting or were refused. */
export type KeyRow = { keys: number; resting: number; refused: number };

export type Provider = {
  name: string;
  /**
   * `inproc`: answers from this process, heeds the signal itself and needs no deadline.
   * `local`: a server on this machine, which may have to load the model first.
   */
  place: 'inproc' | 'local' | 'remote';
  /** null when it can be called; else what is missing and how to give it. */
  problem: string | null;
  /** Tokens of context; `endless`: nothing is ever too long for it. Absent: it does not say, the settings tell. */
  context?: number | 'endless';
  /** How its keys are doing; absent when it has none. */
  keys?(): KeyRow;
  /** Ends with one `end` or `error` chunk, or throws a ProviderFailure. Tool calls come whole. */
  stream(ask: ProviderAsk, signal: AbortSignal): AsyncIterable<ModelChunk>;
};

/**
 * `answer`: an HTTP status; `network`: none, or a stream that broke off; `timeout`: silence; `total`: the whole
 * answer took too long; `overflow`: the conversation does not fit the model; `refused`: the provider will not;
 * `budget`, `no_price`: it was not asked, because of a limit on what may be spent.
 */
export type FailureKind =
  | 'answer'
  | 'network'
  | 'timeout'
  | 'total'
  | 'refused'
  | 'overflow'
  | 'budget'
  | 'no_price';

/** Why a call to a provider failed. The message is safe to show: it holds no key and no prompt. */
export class ProviderFailure extends Error {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** The Retry-After header as it came. */
  readonly retry_after: string | null;
  readonly kind: FailureKind;
  /** The key of this call rests now and another one is free: ask again at once. */
  readonly other_key: boolean;
  /** Tokens that the provider has told of before it failed. */
  usage: Usage | null = null;
  constructor(
    kind: FailureKind,
    message: string,
    more: {
      status?: number | null;
      retry_after?: string | null;
      other_key?: boolean;
    } = {},
  ) {
    super(message);
    this.name = 'ProviderFailure';
    this.kind = kind;
    this.status = more.status ?? null;
    this.retry_after = more.retry_after ?? null;
    this.other_key = more.other_key ?? false;
  }
}
