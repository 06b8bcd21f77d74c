// The limits that hold for one call, and how much of each is used.
import type { Tx } from '../domain/ports.ts';
import type { QueryOptions } from '../domain/query.ts';
import {
  type Amount,
  nothing,
  type Spender,
  type SpendLimits,
  type SpendScope,
  spentOf,
  toNano,
} from '../domain/spend.ts';
import type { TokenPrice, Window } from './budget.ts';
import type { Prices } from './provider.ts';

export type LimitInForce = Pick<Window, 'scope' | 'limit'>;

/** USD per million tokens is 1,000 nano-USD per token. A cached token never costs more than the table says. */
export function tokenPrice(prices: Prices, spec: string): TokenPrice | null {
  const price = prices[spec];
  if (!price) return null;
  const input = Math.max(price.input, price.cached_input ?? 0);
  return { input: input * 1000, output: price.output * 1000 };
}

const least = (...values: (number | undefined)[]): number | null => {
  const set = values.filter((value): value is number => value !== undefined && value > 0);
  return set.length === 0 ? null : Math.min(...set);
};

/** `options`: a query may narrow the limits of its own tree. */
export function limitsFor(limits: SpendLimits, options: QueryOptions | undefined): LimitInForce[] {
  const scopes: LimitInForce[] = [];
  for (const scope of ['node', 'tree', 'day'] as const) {
    const own = scope === 'tree' ? options : undefined;
    const tokens = least(limits[scope].tokens, own?.max_tokens);
    const usd = least(limits[scope].usd, own?.max_usd);
    if (tokens !== null || usd !== null)
      scopes.push({ scope, limit: { tokens, nano_usd: usd === null ? null : toNano(usd) } });
  }
  return scopes;
}

export async function windowsOf(
  t: Tx,
  limits: readonly LimitInForce[],
  { query_id, node_id }: Spender,
  day: string,
): Promise<Window[]> {
  const of: Record<SpendScope, () => Promise<[Amount, Amount]>> = {
    async node() {
      const node = await t.spend.ofNode(query_id, node_id);
      return [node ? spentOf(node) : nothing(), await t.spend.underWay({ query_id, node_id })];
    },
    async tree() {
      const sum = nothing();
      for (const node of await t.spend.ofQuery(query_id)) {
        const { tokens, nano_usd } = spentOf(node);
        sum.tokens += tokens;
        sum.nano_usd += nano_usd;
      }
      return [sum, await t.spend.underWay({ query_id })];
    },
    day: async () => [(await t.spend.ofDay(day)).spent, await t.spend.underWay({ day })],
  };
  const windows: Window[] = [];
  for (const { scope, limit } of limits) {
    const [spent, reserved] = await of[scope]();
    windows.push({ scope, limit, spent, reserved });
  }
  return windows;
}
