// Tokens of one call and what they cost, from the prices in the configuration. Pure; no price, no cost.
import type { Usage } from '../domain/message.ts';
import type { Prices } from './provider.ts';

/** As the provider tells them; `cached` is part of `input`, `reasoning` of `output`. */
export type Tokens = { input?: number; cached?: number; output?: number; reasoning?: number };

export function usageOf(tokens: Tokens, spec: string, prices: Prices): Usage {
  const { input = 0, cached = 0, output = 0, reasoning = 0 } = tokens;
  const price = prices[spec];
  const cost = (p: NonNullable<typeof price>): number =>
    (Math.max(0, input - cached) * p.input +
      cached * (p.cached_input ?? p.input) +
      output * p.output) /
    1e6;
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_tokens: reasoning,
    cost_usd: price ? cost(price) : null,
    model_calls: 1,
  };
}
