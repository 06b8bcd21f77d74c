// What agents and models say to each other, in one neutral form. Providers translate at the gateway.

/** `arguments` is the JSON text exactly as the model gave it; the loop parses and checks it. */
export type ToolCall = { id: string; name: string; arguments: string };

export type Message =
  | { role: 'system'; content: string }
  /**
   * `kind: notice` marks text of the runtime (completions, budget, steering), not of the user. `summary`: it stands
   * for older messages of the thread, see domain/compaction.
   */
  | { role: 'user'; content: string; kind?: 'notice'; summary?: Summary }
  | { role: 'assistant'; content: string; reasoning?: string; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; tool_name: string; content: string; is_error?: boolean };

/**
 * What a model sees instead of the older turns of a thread. `text`: the summary itself; `said`: what the user said in
 * those turns, the newest last, cut.
 */
export type Summary = {
  text: string;
  said: string[];
  /** Tasks of the thread that were open, whole ids. */
  open_tasks: string[];
  /** So many messages before this one stay as they are. */
  tail: number;
  /** Bytes of a tool result among them that stay; null: all. */
  clip: number | null;
  /** The first of its thread is 1. */
  count: number;
  before_tokens: number;
  after_tokens: number;
  /** `digest`: made by code, since no model could be asked or it gave none. */
  by: 'model' | 'digest';
  why: 'threshold' | 'overflow';
};

/** A JSON Schema (draft 2020-12, the subset that tool parameters need). */
export type JsonSchema = {
  type?: 'object' | 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'null';
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean;
  items?: JsonSchema;
  enum?: readonly (string | number | boolean | null)[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
};

export type ToolSpec = { name: string; description: string; parameters: JsonSchema };

/**
 * Tokens as the provider counted them; cached ones are part of the input, reasoning is part of the output.
 * `cost_usd` is null when no price is known, never a guess.
 */
export type Usage = {
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cost_usd: number | null;
  model_calls: number;
};
export const noUsage = (): Usage => ({
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: null,
  model_calls: 0,
});
export const addUsage = (a: Usage, b: Usage): Usage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  // Rows of older versions do not have it.
  cached_input_tokens: (a.cached_input_tokens ?? 0) + (b.cached_input_tokens ?? 0),
  output_tokens: a.output_tokens + b.output_tokens,
  reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  cost_usd:
    a.cost_usd === null && b.cost_usd === null ? null : (a.cost_usd ?? 0) + (b.cost_usd ?? 0),
  model_calls: a.model_calls + b.model_calls,
});

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'refusal';

/** `context_overflow`: the conversation is too long for the model; the same request fails again. */
export type ModelErrorCode =
  | 'model_error'
  | 'model_timeout'
  | 'model_refused'
  | 'context_overflow'
  | 'budget_exceeded'
  | 'price_unknown'
  | 'empty_answer';

/** What a model call streams. Exactly one `end` or one `error` comes last. */
export type ModelChunk =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool_call'; call: ToolCall }
  /** The answer broke off: what came before is void, and it begins anew (from the same model or the next). */
  | { type: 'restart'; reason: string }
  /** `model`: the one that answered, as `provider:model`. */
  | { type: 'end'; finish: FinishReason; model: string; usage: Usage }
  | { type: 'error'; code: ModelErrorCode; message: string };

export type ModelRequest = {
  /** `provider:model`, `echo`, `offline` or `default`. */
  model: string;
  messages: Message[];
  tools: ToolSpec[];
  /** A model that has answered with nothing: those after it in the role's list are asked. */
  after?: string;
  /** The answer is a summary of older turns, for the agent alone: its text is not published as output. */
  purpose?: 'summary';
};
