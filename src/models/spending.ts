// The account of model calls: before one is sent the most that it may cost is set aside, afterwards what it has cost
// is counted. Both are rows: a restart goes on from them, and what a crash cut off counts as spent in full, because
// nobody knows what its provider has charged and a limit must hold all the same.
import { AppError } from '../domain/errors.ts';
import type { Message, ToolSpec, Usage } from '../domain/message.ts';
import type { Clock, Log, ModelCaller, Store, Tx } from '../domain/ports.ts';
import {
  type Amount,
  type DaySpend,
  nothing,
  type Spender,
  type SpendLimits,
} from '../domain/spend.ts';
import { estimateRequest } from '../domain/token-estimate.ts';
import { pause } from '../resilience/retry.ts';
import { costOf, judge, type Need, type TokenPrice } from './budget.ts';
import { limitsFor, tokenPrice, windowsOf } from './budget-windows.ts';
import { noPrice, refusedText, type Told } from './budget-words.ts';
import type { Prices } from './provider.ts';

export type SpendingDeps = {
  store: Store;
  prices: Prices;
  limits: SpendLimits;
  /** Most tokens of one answer while a limit holds. */
  output_tokens: number;
  log: Log;
  clock: Clock;
};
export type CallAsk = { caller: ModelCaller; spec: string; messages: Message[]; tools: ToolSpec[] };
/** How a call ended that its provider did not account for. */
export type Unreported = {
  /** What the provider has said of it all the same. */
  usage: Usage | null;
  /** The provider had the request, and may have worked on it. */
  worked: boolean;
  /** Estimated tokens of what has come of the answer. */
  received: number;
};
/** A call that may be sent. Settled exactly once; resolves when it is counted, and never rejects. */
export type Held = {
  /** Most tokens that the provider may answer with; null: no limit holds. */
  max_output: number | null;
  used(usage: Usage): Promise<void>;
  broke(how: Unreported): Promise<void>;
};
export type Today = DaySpend & { reserved: Amount };
export type Spending = {
  /** A run begins a model step. */
  step(caller: ModelCaller): void;
  /**
   * Sets aside the most that the call may cost. AppError `budget_exceeded` or `price_unknown` when it may not be
   * sent; the reason of the signal when it fires while the call waits for others to end.
   */
  hold(ask: CallAsk, signal: AbortSignal): Promise<Held>;
  /** Counts what the process before has left under way. Before the first call. */
  open(): Promise<void>;
  today(): Promise<Today>;
};

/** Calls under way end by their own deadlines; this is beyond the longest that is set without a thought. */
const LONGEST_WAIT_MS = 20 * 60_000;
/** A look without a ring, should one be lost. */
const LOOK_MS = 10_000;
const AGAIN_MS = 1_000;
/** Calls of a model whose input was more than estimated raise its estimates; so many models are remembered. */
const MOST_MODELS = 1_000;
const ABOVE = 1.05;

const isStorage = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'storage_full' || error.code === 'storage_busy');
const spenderOf = ({ query_id, task_id, run_id }: ModelCaller): Spender => ({
  query_id,
  node_id: task_id ?? query_id,
  run_id,
});
const dayOf = (at: string): string => at.slice(0, 10);

type Granted = { call_id: number; max_output: number | null };

export function createSpending(deps: SpendingDeps): Spending {
  const { store, prices, log, clock } = deps;
  const waiting = new Set<() => void>();
  let settled = 0;
  const factors = new Map<string, number>();

  const estimate = ({ spec, messages, tools }: CallAsk): number =>
    Math.ceil(estimateRequest(messages, tools) * (factors.get(spec) ?? 1));

  /** The tokenizer of a model may need more than the estimate thinks: it is right from the second call on. */
  function learn(spec: string, estimated: number, { input_tokens }: Usage): void {
    if (input_tokens <= estimated) return;
    const factor = ((factors.get(spec) ?? 1) * input_tokens * ABOVE) / estimated;
    const oldest = factors.size >= MOST_MODELS ? factors.keys().next().value : undefined;
    if (oldest !== undefined) factors.delete(oldest);
    factors.set(spec, factor);
  }

  async function tell(t: Tx, { query_id, task_id, agent_id, role }: ModelCaller, told: Told) {
    const { state, detail, data } = told;
    await t.events.append({
      kind: 'notice',
      state,
      detail,
      query_id,
      task_id,
      agent_id,
      role,
      data,
    });
    log.warn({ query_id, task_id, role, ...data }, detail);
  }

  /** In one unit: nobody reserves between the look and the row. */
  async function attempt(
    t: Tx,
    ask: CallAsk,
    need: Need,
    first: boolean,
  ): Promise<Granted | AppError | 'wait'> {
    const { caller, spec } = ask;
    const by = spenderOf(caller);
    const day = dayOf(t.at);
    const limits = limitsFor(deps.limits, (await t.queries.get(by.query_id))?.options);
    const inUsd = limits.some(({ limit }) => limit.nano_usd !== null);
    if (inUsd && need.price === null) {
      const told = noPrice(spec);
      await tell(t, caller, told);
      return new AppError('price_unknown', told.detail, { data: told.data });
    }
    const windows = await windowsOf(t, limits, by, day);
    const limited = windows.length > 0;
    const verdict = limited
      ? judge(windows, need)
      : { may: 'send' as const, max_output: null, most: costOf(need, 0) };
    if (verdict.may === 'never') {
      const told = refusedText(spec, verdict.refusal, by.node_id === by.query_id);
      await tell(t, caller, told);
      return new AppError('budget_exceeded', told.detail, { data: told.data });
    }
    if (verdict.may === 'wait') {
      if (first)
        await tell(t, caller, {
          state: 'budget_wait',
          detail: `${spec}: the rest of the limit is set aside for calls under way; waiting for them`,
          data: { model: spec, needed_tokens: need.input_tokens + need.most_output },
        });
      return 'wait';
    }
    const row = { ...by, day, model: spec, most: verdict.most };
    return { call_id: await t.spend.reserve(row), max_output: verdict.max_output };
  }

  /** Full storage pauses work: nothing is sent that is not written down. */
  async function written<T>(work: (t: Tx) => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;)
      try {
        return await store.tx(work);
      } catch (error) {
        if (!isStorage(error)) throw error;
        await pause(AGAIN_MS, signal);
        signal.throwIfAborted();
      }
  }

  function rung(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      waiting.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }
  const ring = (): void => {
    settled += 1;
    for (const wake of [...waiting]) wake();
  };

  /** Whoever waits for it goes on when it is counted; storage that refuses it is asked again behind their back. */
  async function settle(call_id: number, usage: Usage | null, estimated: Amount): Promise<void> {
    const write = (): Promise<void> =>
      store.soon((t) => t.spend.settle(call_id, { usage, estimated }));
    const later = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      await write().then(ring, (error: unknown) => {
        if (isStorage(error)) return later();
        log.warn({ err: error, call_id }, 'a model call counts with the most it may have cost');
      });
    };
    await write().then(ring, () => void later());
  }

  function heldOf(ask: CallAsk, need: Need, { call_id, max_output }: Granted): Held {
    const { spec } = ask;
    const price: TokenPrice = need.price ?? { input: 0, output: 0 };
    return {
      max_output,
      used(usage) {
        learn(spec, need.input_tokens, usage);
        return settle(call_id, usage, nothing());
      },
      broke({ usage, worked, received }) {
        const input = worked && !usage?.input_tokens ? need.input_tokens : 0;
        const got = max_output === null ? received : Math.min(received, max_output);
        const output = Math.max(0, got - (usage?.output_tokens ?? 0));
        const estimated = costOf({ ...need, price, input_tokens: input }, output);
        return settle(call_id, usage, estimated);
      },
    };
  }

  return {
    step(caller) {
      void store
        .soon((t) => t.spend.step(spenderOf(caller)))
        .catch((error: unknown) => log.warn({ err: error }, 'a model step was not counted'));
    },
    async hold(ask, signal) {
      const need: Need = {
        input_tokens: estimate(ask),
        most_output: deps.output_tokens,
        price: tokenPrice(prices, ask.spec),
      };
      const until = clock.mono() + LONGEST_WAIT_MS;
      for (let first = true; ; first = false) {
        signal.throwIfAborted();
        const seen = settled;
        const found = await written((t) => attempt(t, ask, need, first), signal);
        if (found === 'wait') {
          if (clock.mono() > until)
            throw new AppError('budget_exceeded', `${ask.spec}: calls under way never ended`);
          // What was settled during the look may have made room.
          if (seen === settled) await rung(LOOK_MS, signal);
          continue;
        }
        if (found instanceof AppError) throw found;
        const held = heldOf(ask, need, found);
        if (!signal.aborted) return held;
        await held.broke({ usage: null, worked: false, received: 0 });
        signal.throwIfAborted();
      }
    },
    async open() {
      const { calls, spent } = await store.tx((t) => t.spend.settleAll());
      if (calls > 0)
        log.warn({ calls, ...spent }, 'model calls were cut off; they count as spent in full');
    },
    async today() {
      const day = dayOf(clock.now().toISOString());
      const [spent, reserved] = await Promise.all([
        store.reads.spend.ofDay(day),
        store.reads.spend.underWay({ day }),
      ]);
      return { ...spent, reserved };
    },
  };
}
