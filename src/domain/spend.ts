// What model calls cost: what runs have spent, what calls under way may still cost, and the limits on it.
// Money is counted in whole nano-USD (1e-9 USD): sums stay exact, and a limit is never passed by a rounding.
import type { Usage } from './message.ts';

/** Tokens are input and output together. */
export type Amount = { tokens: number; nano_usd: number };

/** A task or the main agent itself; a query with everything under it; a day in UTC. */
export const SPEND_SCOPES = ['node', 'tree', 'day'] as const;
export type SpendScope = (typeof SPEND_SCOPES)[number];

/** Most that may be spent; 0 = no limit. */
export type SpendLimit = { tokens: number; usd: number };
export type SpendLimits = Readonly<Record<SpendScope, SpendLimit>>;

/** Who spends: `node_id` is the task, or the query itself for its main agent. */
export type Spender = { query_id: string; node_id: string; run_id: string };

/**
 * What a node has spent. `usage`: as the providers reported it. `estimated`: on top of it, for calls whose provider
 * did not say what they had used (broken off, cancelled, cut off by a crash).
 */
export type NodeSpend = {
  node_id: string;
  iterations: number;
  usage: Usage;
  estimated: Amount;
};

/** `day`: YYYY-MM-DD, UTC. `spent` holds what is `estimated` of it. */
export type DaySpend = { day: string; model_calls: number; spent: Amount; estimated: Amount };

/** A call that is about to be sent: the most that it may cost. */
export type Reservation = Spender & { day: string; model: string; most: Amount };

/** What came of it. */
export type Settlement = { usage: Usage | null; estimated: Amount };

export const nothing = (): Amount => ({ tokens: 0, nano_usd: 0 });
export const NANO = 1e9;
export const toNano = (usd: number): number => Math.ceil(usd * NANO - 1e-3);

export const spentOf = ({ usage, estimated }: Pick<NodeSpend, 'usage' | 'estimated'>): Amount => ({
  tokens: usage.input_tokens + usage.output_tokens + estimated.tokens,
  nano_usd: toNano(usage.cost_usd ?? 0) + estimated.nano_usd,
});

/** The one of two accounts of the same work that knows of more calls. */
export const fuller = (a: Usage, b: Usage): Usage => (b.model_calls > a.model_calls ? b : a);
