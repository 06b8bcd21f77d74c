// What a query has used, in one line for people.
import type { Query } from '../domain/query.ts';

/** `12 model steps, 3400 tokens in, 560 out, 0.0123 USD` */
export function usageLine({ usage, iterations }: Pick<Query, 'usage' | 'iterations'>): string {
  const cost = usage.cost_usd === null ? '' : `, ${usage.cost_usd.toFixed(4)} USD`;
  const steps = `${iterations} model step${iterations === 1 ? '' : 's'}`;
  return `${steps}, ${usage.input_tokens} tokens in, ${usage.output_tokens} out${cost}`;
}
