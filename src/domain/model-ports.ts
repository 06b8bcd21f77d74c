// The port to language models: what every room asks of the gateway. Shapes and contracts only.
import type { ModelChunk, ModelRequest } from './message.ts';

/** Who is calling: for prices, breakers, logs and the published text. */
export type ModelCaller = {
  query_id: string;
  /** null: the main agent. */
  task_id: string | null;
  agent_id: string | null;
  role: string;
  run_id: string;
};
/** The models of a call in the order in which they are asked, and why the first is the first. */
export type ModelRoute = { models: readonly string[]; why: string };
/** The one door to language models. Publishes the text as `output` events, coalesced to 50 ms. */
export type ModelGateway = {
  call(request: ModelRequest, caller: ModelCaller, signal: AbortSignal): AsyncIterable<ModelChunk>;
  /** What `default` resolves to, e.g. `openai:gpt-4o-mini` or `offline`, and why it was chosen. */
  chosen(): { model: string; why: string };
  /** What a call of this model by this role (`main`: the main agent) asks. At least one model. */
  route(model: string, role: string): ModelRoute;
  /**
   * Tokens of context that such a call has room for, and whether its model can write a summary; null: it has no limit.
   */
  context(model: string, role: string): { tokens: number; by_model: boolean } | null;
  /**
   * Whether a call of this model counts as alive while it is under way: a provider's own deadlines bound it. False
   * for models inside main.
   */
  beats(model: string, role: string): boolean;
  /** USD per million input tokens of `provider:model`; null: it has no price. */
  inputPrice(model: string): number | null;
  /** Names a problem with a model spec, or null. Used by `config check` and at start. */
  problem(model: string): string | null;
};
