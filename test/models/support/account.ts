// A gateway with a real account over a real database, before a real model server that says what it charges.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ModelChunk } from '../../../src/domain/message.ts';
import { type ModelCaller, silentLog, systemClock } from '../../../src/domain/ports.ts';
import type { QueryOptions } from '../../../src/domain/query.ts';
import { type SpendLimits, spentOf } from '../../../src/domain/spend.ts';
import type { Prices } from '../../../src/models/provider.ts';
import { createSpending } from '../../../src/models/spending.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { createStore } from '../../../src/store/sqlite/store.ts';
import { aQuery } from '../../contracts/rows.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { hello, testGateway } from './gateway.ts';
import { chunk, type Script, stream, upstream, usage } from './upstream.ts';

const none = { tokens: 0, usd: 0 };
export const PRICES: Prices = { 'openai:m': { input: 2, output: 10 } };

/** What the server has charged, in all. */
export type Charged = { input: number; output: number; calls: number };

/** Answers with usage as a provider would count it: `output` of the request's number, never above its max_tokens. */
export function charging(charged: Charged, output: (n: number) => number, ms = 5): Script {
  let n = 0;
  return async (response, request, body = {}) => {
    n += 1;
    const most = Number(body.max_tokens ?? Number.POSITIVE_INFINITY);
    const used = Math.min(output(n), most);
    const prompt = Math.ceil(JSON.stringify(body.messages).length / 5);
    charged.input += prompt;
    charged.output += used;
    charged.calls += 1;
    await new Promise((resolve) => setTimeout(resolve, ms * (1 + (n % 4))));
    const events = [chunk({ role: 'assistant', content: 'done' }), chunk({}, 'stop')];
    await stream([...events, usage(prompt, used)])(response, request, body);
  };
}

export async function account(
  given: Partial<SpendLimits>,
  script: Script,
  more: { prices?: Prices; options?: Partial<QueryOptions>; output_tokens?: number } = {},
) {
  const file = join(tempFolder(), 'troupe.db');
  const prices = more.prices ?? PRICES;
  const open = () => {
    const store = createStore({
      database: openDatabase({ file, log: silentLog }),
      log: silentLog,
    });
    const spending = createSpending({
      ...{ store, prices, log: silentLog, clock: systemClock },
      limits: { node: none, tree: none, day: none, ...given },
      output_tokens: more.output_tokens ?? 1_000,
    });
    return { store, spending };
  };
  const { store, spending } = open();
  let closed = false;
  const close = async (): Promise<void> => {
    if (!closed) await store.close();
    closed = true;
  };
  onTestFinished(close);
  /** Ends are counted without waiting for the disk; readers see what is on it. */
  const settled = (): Promise<void> => store.tx(async () => {});
  const query = aQuery();
  query.options = { ...query.options, ...more.options };
  await store.tx((t) => t.queries.insert(query));
  const up = await upstream(script);
  const test = testGateway(up.url, { spending, settings: { prices } });
  const { query_id } = query;
  const callerOf = (node: string | null): ModelCaller => ({
    ...{ query_id, task_id: node, agent_id: null, role: 'coder', run_id: `run-${node}` },
  });
  return {
    ...{ ...test, store, spending, seen: up.seen, query_id, close, reopen: open },
    /** One call in the name of a node; null: the main agent. Answers with its last chunk. */
    async call(node: string | null, signal = new AbortController().signal): Promise<ModelChunk> {
      let last: ModelChunk | undefined;
      const request = { model: 'default', messages: hello, tools: [] };
      for await (const piece of test.gateway.call(request, callerOf(node), signal)) last = piece;
      return last as ModelChunk;
    },
    settled,
    async spent(): Promise<{ tokens: number; usd: number; estimated: number }> {
      await settled();
      const nodes = await store.reads.spend.ofQuery(query_id);
      const sums = nodes.map(spentOf);
      return {
        tokens: sums.reduce((sum, n) => sum + n.tokens, 0),
        usd: sums.reduce((sum, n) => sum + n.nano_usd, 0) / 1e9,
        estimated: nodes.reduce((sum, n) => sum + n.estimated.tokens, 0),
      };
    },
    notices: () => store.reads.events.after(0, { kinds: ['notice'] }, 1_000),
  };
}
