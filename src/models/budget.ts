// Whether a model call may be sent, by what has been spent and what the calls under way may still cost. Pure.
import { type Amount, NANO, type SpendScope } from '../domain/spend.ts';

/** One limit that holds for a call. Nulls: none in that unit. */
export type Window = {
  scope: SpendScope;
  limit: { tokens: number | null; nano_usd: number | null };
  spent: Amount;
  /** The most that other calls under way may cost. */
  reserved: Amount;
};
/** nano-USD per token. */
export type TokenPrice = { input: number; output: number };
export type Need = {
  input_tokens: number;
  /** Most tokens of the answer; fewer are granted when that is all that is left. */
  most_output: number;
  /** null: it has no price, and no limit in USD holds. */
  price: TokenPrice | null;
};
export type Unit = 'tokens' | 'usd';
export type Refusal = {
  scope: SpendScope;
  unit: Unit;
  /** In tokens or USD. `needed`: the least that the call may cost. */
  limit: number;
  spent: number;
  reserved: number;
  needed: number;
};
export type Verdict =
  | { may: 'send'; max_output: number; most: Amount }
  /** It fits when calls under way cost less than they may. */
  | { may: 'wait' }
  | { may: 'never'; refusal: Refusal };

/** An answer that may be no longer than this says nothing. */
export const LEAST_OUTPUT = 256;

export const costOf = ({ input_tokens, price }: Need, output: number): Amount => ({
  tokens: input_tokens + output,
  nano_usd: price ? Math.ceil(input_tokens * price.input + output * price.output) : 0,
});

type Room = { window: Window; unit: Unit; now: number; later: number };

/** Tokens of output for which there is room, below 0 when the input alone is too much. */
function roomsOf(window: Window, need: Need): Room[] {
  const { limit, spent, reserved } = window;
  const rooms: Room[] = [];
  if (limit.tokens !== null) {
    const later = limit.tokens - spent.tokens - need.input_tokens;
    rooms.push({ window, unit: 'tokens', now: later - reserved.tokens, later });
  }
  if (limit.nano_usd !== null && need.price) {
    const { input, output } = need.price;
    const left = limit.nano_usd - spent.nano_usd - Math.ceil(need.input_tokens * input);
    const most = (nano: number): number => {
      if (nano < 0) return -1;
      return output === 0 ? Number.POSITIVE_INFINITY : Math.floor(nano / output);
    };
    rooms.push({ window, unit: 'usd', now: most(left - reserved.nano_usd), later: most(left) });
  }
  return rooms;
}

function refusalOf({ window, unit }: Room, need: Need): Refusal {
  const { scope, limit, spent, reserved } = window;
  const needed = costOf(need, Math.min(need.most_output, LEAST_OUTPUT));
  const usd = (nano: number | null): number => (nano ?? 0) / NANO;
  return unit === 'tokens'
    ? {
        ...{ scope, unit, limit: limit.tokens ?? 0, spent: spent.tokens },
        ...{ reserved: reserved.tokens, needed: needed.tokens },
      }
    : {
        ...{ scope, unit, limit: usd(limit.nano_usd), spent: usd(spent.nano_usd) },
        ...{ reserved: usd(reserved.nano_usd), needed: usd(needed.nano_usd) },
      };
}

const isHeld = ({ window: { reserved }, unit }: Room): boolean =>
  (unit === 'tokens' ? reserved.tokens : reserved.nano_usd) > 0;

/**
 * The whole answer length where there is room for it; what is left of it when nothing else is under way; a wait
 * while calls under way may give back what they do not use; else never.
 */
export function judge(windows: readonly Window[], need: Need): Verdict {
  const rooms = windows.flatMap((window) => roomsOf(window, need));
  const least = Math.min(need.most_output, LEAST_OUTPUT);
  const [worst] = rooms.toSorted((a, b) => a.later - b.later);
  if (worst && worst.later < least) return { may: 'never', refusal: refusalOf(worst, need) };
  const tight = rooms.filter(({ now }) => now < need.most_output);
  if (tight.some(isHeld)) return { may: 'wait' };
  const max_output = Math.min(need.most_output, ...tight.map(({ now }) => now));
  return { may: 'send', max_output, most: costOf(need, max_output) };
}
