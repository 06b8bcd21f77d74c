// Limits on what may be spent, with the real gateway, a real database and a real model server.
import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { account, type Charged, charging, PRICES } from './support/account.ts';
import { chunk, cutAfter, json, usage } from './support/upstream.ts';

const counted = (): Charged => ({ input: 0, output: 0, calls: 0 });
const nodes = Array.from({ length: 40 }, (_, i) => `task-${i}`);
const costOf = ({ input, output }: Charged): number => (input * 2 + output * 10) / 1e6;

describe('forty nodes that race', () => {
  it.each([
    ['tree', 'tokens', { tokens: 9_000, usd: 0 }],
    ['tree', 'usd', { tokens: 0, usd: 0.05 }],
    ['day', 'tokens', { tokens: 9_000, usd: 0 }],
    ['day', 'usd', { tokens: 0, usd: 0.05 }],
  ] as const)(
    'never spend more than the limit of a %s in %s together',
    async (scope, unit, limit) => {
      const charged = counted();
      const test = await account(
        { [scope]: limit },
        charging(charged, (n) => 200 + ((n * 37) % 500)),
      );
      const over: unknown[] = [];
      const ends = await Promise.all(
        nodes.map(async (node) => {
          const all = [await test.call(node), await test.call(node)];
          const { tokens, usd } = await test.spent();
          if (unit === 'tokens' ? tokens > limit.tokens : usd > limit.usd)
            over.push({ tokens, usd });
          return all;
        }),
      );
      expect(over).toEqual([]);
      const total = unit === 'tokens' ? charged.input + charged.output : costOf(charged);
      const most = unit === 'tokens' ? limit.tokens : limit.usd;
      expect(total).toBeLessThanOrEqual(most);
      // What calls under way did not use was given to others: little is left over.
      expect(total).toBeGreaterThan(most * 0.8);
      const spent = await test.spent();
      expect(spent.tokens).toBe(charged.input + charged.output);
      expect(spent.usd).toBeCloseTo(costOf(charged), 9);
      const refused = ends.flat().filter((end) => end.type === 'error');
      expect(refused.length).toBeGreaterThan(0);
      expect(test.seen).toHaveLength(charged.calls);
      expect(refused.length + charged.calls).toBe(80);
      for (const end of refused) expect(end).toMatchObject({ code: 'budget_exceeded' });
      await test.settled();
      expect(await test.store.reads.spend.underWay({})).toEqual({ tokens: 0, nano_usd: 0 });
    },
  );
});

describe('a call that does not fit', () => {
  it('is refused before it is sent, with the numbers, in an error and in an event', async () => {
    const test = await account(
      { node: { tokens: 300, usd: 0 } },
      charging(counted(), () => 10),
    );
    const end = await test.call('task-1');
    expect(test.seen).toHaveLength(0);
    expect(end).toMatchObject({ type: 'error', code: 'budget_exceeded' });
    expect(end).toMatchObject({
      message: expect.stringMatching(
        /limit for this task is 300 tokens: 0 tokens are spent, and the next call of openai:m needs at least \d+ tokens\. It was not sent\. Raise \[limits\] node_tokens/,
      ),
    });
    expect(await test.notices()).toMatchObject([
      {
        state: 'budget_exceeded',
        task_id: 'task-1',
        data: { scope: 'node', unit: 'tokens', limit: 300, spent: 0, reserved: 0 },
      },
    ]);
    // Nobody tried again, asked another model or blamed this one.
    expect(test.notes).toEqual([]);
    expect(test.gateway.breakers()).toEqual([]);
    expect(test.tries).toEqual([]);
  });

  it('is sent with what is left as the most that may be answered', async () => {
    const test = await account(
      { node: { tokens: 600, usd: 0 } },
      charging(counted(), () => 10_000),
    );
    expect(await test.call('task-1')).toMatchObject({ type: 'end' });
    const most = Number(test.seen[0]?.body.max_tokens);
    expect(most).toBeGreaterThanOrEqual(256);
    expect(most).toBeLessThan(600);
    expect((await test.spent()).tokens).toBeLessThanOrEqual(600);
  });

  it('has no limit of its answer while no limit is set', async () => {
    const test = await account(
      {},
      charging(counted(), () => 10),
    );
    await test.call(null);
    expect(test.seen[0]?.body).not.toHaveProperty('max_tokens');
    expect((await test.spent()).tokens).toBeGreaterThan(10);
  });

  it('waits while calls under way may give back what they do not use', async () => {
    const test = await account(
      { tree: { tokens: 1_400, usd: 0 } },
      charging(counted(), () => 10, 20),
    );
    const ends = await Promise.all([test.call('a'), test.call('b'), test.call('c')]);
    expect(ends.map((end) => end.type)).toEqual(['end', 'end', 'end']);
    expect((await test.notices()).map((e) => e.state)).toContain('budget_wait');
  });

  it('leaves the wait at once when its run is cancelled', async () => {
    const test = await account({ tree: { tokens: 1_400, usd: 0 } }, () => {});
    const first = new AbortController();
    const second = new AbortController();
    const calls = [test.call('a', first.signal), test.call('b', second.signal)];
    await until(async () => (await test.notices()).length === 1, 5_000, 'the second waits');
    await until(() => test.seen.length === 1, 5_000, 'the first is sent');
    second.abort();
    expect(await calls[1]).toMatchObject({ type: 'error', message: 'cancelled' });
    first.abort();
    await calls[0];
    expect(test.seen).toHaveLength(1);
    await test.settled();
    expect(await test.store.reads.spend.underWay({})).toEqual({ tokens: 0, nano_usd: 0 });
  });
});

describe('a limit in USD', () => {
  it('and a model without a price: refused, not counted as nothing', async () => {
    const test = await account(
      { day: { tokens: 0, usd: 5 } },
      charging(counted(), () => 10),
      { prices: {} },
    );
    expect(await test.call(null)).toMatchObject({
      code: 'price_unknown',
      message: expect.stringMatching(
        /no price for openai:m in \[models\] prices; a limit in USD cannot be kept/,
      ),
    });
    expect(test.seen).toHaveLength(0);
  });

  it('of the query holds beside those of the configuration', async () => {
    const test = await account(
      { tree: { tokens: 0, usd: 5 } },
      charging(counted(), () => 10),
      { options: { max_usd: 0.001 } },
    );
    expect(await test.call(null)).toMatchObject({
      message: expect.stringMatching(/this query with all its tasks is 0\.001000 USD/),
    });
  });
});

describe('what was spent', () => {
  it('of a day and a tree is still known after a restart, and what was under way counts in full', async () => {
    const charged = counted();
    const limit = { tokens: 3_000, usd: 0 };
    const test = await account(
      { day: limit },
      charging(charged, () => 500),
    );
    await test.call('a');
    await test.settled();
    const before = await test.spending.today();
    // A call that the crash cuts off: its row is there, its end never is.
    await test.spending.hold(
      {
        caller: { query_id: test.query_id, task_id: 'b', agent_id: null, role: 'x', run_id: 'r' },
        ...{ spec: 'openai:m', messages: [], tools: [] },
      },
      new AbortController().signal,
    );
    const reserved = await test.store.reads.spend.underWay({});
    expect(reserved.tokens).toBeGreaterThan(1_000);
    await test.close();
    const again = test.reopen();
    await again.spending.open();
    const after = await again.spending.today();
    expect(after.spent.tokens).toBe(before.spent.tokens + reserved.tokens);
    expect(after.estimated).toEqual(reserved);
    expect(after.reserved.tokens).toBe(0);
    const [a, b] = (await again.store.reads.spend.ofQuery(test.query_id)).toSorted((x, y) =>
      x.node_id.localeCompare(y.node_id),
    );
    expect(a?.usage.output_tokens).toBe(500);
    expect(b?.estimated).toEqual(reserved);
    await again.store.close();
  });

  it('by a call that was refused with an error is nothing', async () => {
    const test = await account(
      { day: { tokens: 9_000, usd: 0 } },
      json(400, { error: { message: 'no' } }),
    );
    expect(await test.call('a')).toMatchObject({ type: 'error' });
    await test.settled();
    expect((await test.spending.today()).spent).toEqual({ tokens: 0, nano_usd: 0 });
  });

  it('by an answer that broke off is what its provider reported, and the rest an estimate', async () => {
    const broken = cutAfter([usage(40, 7), chunk({ content: 'half of the answer '.repeat(9) })]);
    const test = await account({ day: { tokens: 90_000, usd: 0 } }, broken);
    expect(await test.call('a')).toMatchObject({ type: 'error' });
    const { tokens, estimated } = await test.spent();
    const calls = test.seen.length;
    expect(tokens - estimated).toBe(47 * calls);
    expect((await test.spending.today()).spent.tokens).toBe(tokens);
  });

  it('by a call that was cancelled is estimated, never more than was set aside', async () => {
    const test = await account({ day: { tokens: 9_000, usd: 0 } }, () => {}, { prices: PRICES });
    const stop = new AbortController();
    const call = test.call('a', stop.signal);
    await until(() => test.seen.length === 1, 5_000, 'the request is there');
    const { tokens } = await test.store.reads.spend.underWay({});
    stop.abort();
    await call;
    await test.settled();
    const { spent, reserved } = await test.spending.today();
    expect(spent.tokens).toBeGreaterThan(0);
    expect(spent.tokens).toBeLessThan(tokens);
    expect(reserved.tokens).toBe(0);
  });
});
