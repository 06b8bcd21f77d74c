// What agents and models say to each other, in one neutral form. Providers translate at the gateway.

/** `arguments` is the JSON text exactly as the model gave it; the loop parses and checks it. */
export type ToolCall = { id: string; name: string; arguments: string };

export type Message =
  | { role: 'system'; content: string }
  /** `kind: notice` marks text of the runtime (completions, budget, steering), not of the user. */
  | { role: 'user'; content: string; kind?: 'notice' }
  | { role: 'assistant'; content: string; reasoning?: string; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; tool_name: string; content: string; is_error?: boolean };

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

/** Tokens as the provider counted them; `cost_usd` is null when no price is known, never a guess. */
export type Usage = {
  input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cost_usd: number | null;
  model_calls: number;
};
export const noUsage = (): Usage => ({
  input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: null,
  model_calls: 0,
});
export const addUsage = (a: Usage, b: Usage): Usage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  cost_usd:
    a.cost_usd === null && b.cost_usd === null ? null : (a.cost_usd ?? 0) + (b.cost_usd ?? 0),
  model_calls: a.model_calls + b.model_calls,
});

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'refusal';

/** What a model call streams. Exactly one `end` or one `error` comes last. */
export type ModelChunk =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool_call'; call: ToolCall }
  | { type: 'end'; finish: FinishReason; model: string; usage: Usage }
  | { type: 'error'; code: 'model_error' | 'model_timeout' | 'model_refused'; message: string };

export type ModelRequest = {
  /** `provider:model`, `echo`, `offline` or `default`. */
  model: string;
  messages: Message[];
  tools: ToolSpec[];
};
