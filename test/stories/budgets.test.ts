// Limits on what may be spent, on the built server with role servers of its own: what a user sees of them.
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../src/domain/message.ts';
import { type ChatAnswer, type ChatRequest, startProvider } from '../support/fake-provider.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

type Query = {
  query_id: string;
  status: string;
  answer: string | null;
  usage: Usage;
  iterations: number;
  error: { code: string; message: string } | null;
};
type Node = {
  role: string;
  usage: Usage;
  iterations: number;
  subtree_iterations: number;
  spend: { tokens: number; cost_usd: number | null; share: number };
  children: Node[];
};
type Spend = {
  spend: {
    limits: Record<string, { tokens: number; usd: number }>;
    today: { tokens: number; usd: number; model_calls: number; estimated_tokens: number };
  };
};
const PRICES = '[models.prices]\n"openai:main" = { input = 1, output = 2 }\n';

async function serve(config: string, answer: (request: ChatRequest, n: number) => ChatAnswer) {
  const provider = await startProvider(answer);
  const env = { TROUPE_MODEL: 'openai:main', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: provider.url };
  const open = (folder?: string) =>
    startTroupe({ config, env, ...(folder === undefined ? {} : { folder }) });
  return { provider, troupe: await open(), open };
}
async function ask(troupe: Troupe, input: string, more: object = {}): Promise<Query> {
  const { query_id } = await troupe.call<Query>('POST', '/v1/queries', { input, ...more });
  return await troupe.call<Query>('GET', `/v1/queries/${query_id}?wait_ms=30000`);
}
const isMain = ({ messages }: ChatRequest): boolean =>
  messages[0]?.content?.startsWith('role: main') ?? false;
const start = (role: string): ChatAnswer => ({
  call: 'start_async_task',
  args: JSON.stringify({ subagent_type: role, description: 'your part' }),
});
/** The main agent starts one coder, waits for it and ends; the coder says what it has done. */
const oneChild = (request: ChatRequest): ChatAnswer => {
  if (!isMain(request)) return { text: 'the coder has written it' };
  if (request.messages.some((m) => m.content?.includes('of your tasks ended')))
    return { text: 'all done' };
  return request.messages.some((m) => m.role === 'tool') ? { text: 'waiting' } : start('coder');
};

describe('a limit on what a query may spend', { timeout: 90_000 }, () => {
  it('ends the query with what is there, and says which limit, in row, event and metric', async () => {
    // The main agent has room for two of its calls, and none for the last.
    let used = 0;
    const { troupe, provider } = await serve(
      `[limits]\nnode_tokens = 100000\n${PRICES}`,
      (request) => {
        const said = oneChild(request);
        if (!isMain(request)) return said;
        used += 1;
        const usage = { prompt_tokens: used === 2 ? 99_000 : 10, completion_tokens: 5 };
        return { ...(said as { text: string }), usage };
      },
    );
    const query = await ask(troupe, 'write it');
    expect(query).toMatchObject({ status: 'degraded', error: { code: 'budget_exceeded' } });
    expect(query.answer).toContain('the coder has written it');
    expect(query.error?.message).toMatch(
      /limit for the main agent is 100000 tokens: 99020 tokens are spent, .* needs at least \d+ tokens/,
    );
    const sent = provider.requests.length;
    const [told] = (await troupe.events(`&query_id=${query.query_id}&kinds=notice`)).filter(
      (e) => e.state === 'budget_exceeded',
    );
    expect(told?.data).toMatchObject({
      scope: 'node',
      unit: 'tokens',
      limit: 100_000,
      spent: 99_020,
    });
    const metrics = (await troupe.ask<string>('GET', '/metrics')).body;
    expect(metrics).toMatch(/troupe_budget_refusals_total\{scope="node",unit="tokens"\} 1/);
    expect(provider.requests).toHaveLength(sent);
  });

  it('shows what each node spends, and the model steps of the tree', async () => {
    const { troupe, provider } = await serve(PRICES, oneChild);
    const query = await ask(troupe, 'write it');
    expect(query.status).toBe('completed');
    const calls = provider.requests.length;
    expect(query.iterations).toBe(calls);
    const root = await troupe.call<Node>('GET', `/v1/queries/${query.query_id}/tree`);
    const [coder] = root.children;
    expect(root.subtree_iterations).toBe(calls);
    expect(root.iterations + (coder?.iterations ?? 0)).toBe(calls);
    expect(root.spend.tokens + (coder?.spend.tokens ?? 0)).toBe(15 * calls);
    expect(root.spend.share + (coder?.spend.share ?? 0)).toBeCloseTo(1, 3);
    expect(coder?.spend.cost_usd).toBeCloseTo(20 / 1e6, 12);
    expect(query.usage.input_tokens + query.usage.output_tokens).toBe(15 * calls);
  });

  it('may be narrowed by the query, never widened', async () => {
    const { troupe, provider } = await serve(`[limits]\ntree_usd = 1.5\n${PRICES}`, oneChild);
    const refused = await troupe.ask<{ detail: string }>('POST', '/v1/queries', {
      input: 'x',
      max_usd: 2,
    });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toBe('max_usd is 2; [limits] tree_usd allows at most 1.5');
    const query = await ask(troupe, 'write it', { max_usd: 0.0001 });
    expect(query).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
    expect(provider.requests).toHaveLength(0);
  });
});

describe('an agent that starts more tasks than it may by itself', { timeout: 90_000 }, () => {
  it('waits for a person, who sees what they will cost', async () => {
    const ended = (request: ChatRequest): boolean =>
      request.messages.some((m) => m.content?.includes('of your tasks ended'));
    const { troupe } = await serve(`[limits]\nconfirm_above_tokens = 10\n${PRICES}`, (request) => {
      if (!isMain(request)) return { text: 'the coder has written it' };
      const twice = request.messages.some((m) => m.content?.includes('twice'));
      const starts = request.messages.filter((m) => m.role === 'tool').length;
      if (starts < (twice ? 2 : 1)) return start('coder');
      return { text: ended(request) ? 'all done' : 'waiting' };
    });
    expect((await ask(troupe, 'once')).status).toBe('completed');
    const { query_id } = await troupe.call<Query>('POST', '/v1/queries', {
      ...{ input: 'twice', review: 'wait' },
    });
    type Review = { review_id: string; request: { action: string; detail: string } };
    const review = await until(
      async () => {
        const page = await troupe.call<{ data: Review[] }>('GET', '/v1/reviews?status=pending');
        return page.data[0];
      },
      30_000,
      'a person is asked',
    );
    expect(review.request.action).toBe('start a coder task');
    expect(review.request.detail).toMatch(/^1 task at work together: about 15 tokens/);
    await troupe.call('POST', `/v1/reviews/${review.review_id}`, { decision: 'session' });
    const query = await troupe.call<Query>('GET', `/v1/queries/${query_id}?wait_ms=30000`);
    expect(query).toMatchObject({ status: 'completed', answer: 'all done' });
    const root = await troupe.call<Node>('GET', `/v1/queries/${query_id}/tree`);
    expect(root.children).toHaveLength(2);
  });
});

describe('a long task that goes on', { timeout: 90_000 }, () => {
  it('has its older turns summarised before its first model call', async () => {
    const config = `[limits]\nresume_tokens = 1000\n${PRICES}`;
    const { troupe, provider } = await serve(config, ({ messages }) => {
      const has = (text: string): boolean => messages.some((m) => m.content?.includes(text));
      if (has('The turns to summarise')) return { text: 'it wrote many words' };
      return { text: has('it wrote many words') ? 'short' : 'word '.repeat(3_000) };
    });
    const { task_id } = await troupe.start('coder', 'write it');
    await troupe.ended(task_id);
    await troupe.call('POST', `/v1/tasks/${task_id}/retry`, {});
    const task = await troupe.ended(task_id);
    expect(task).toMatchObject({ status: 'completed', result: 'short' });
    expect(task).toHaveProperty('resume_estimate.tokens_per_turn', expect.any(Number));
    expect(provider.requests).toHaveLength(3);
    const states = (await troupe.events(`&task_id=${task_id}&kinds=notice`)).map((e) => e.state);
    expect(states).toEqual(expect.arrayContaining(['resume_estimate', 'compacted']));
    expect(states.indexOf('resume_estimate')).toBeLessThan(states.indexOf('compacted'));
  });
});

describe('what a day has cost', { timeout: 90_000 }, () => {
  it('survives kill -9 of the server, and holds against the limit after it', async () => {
    const { troupe, provider, open } = await serve(
      `[limits]\nday_tokens = 60000\n${PRICES}`,
      (_request, n) => (n === 0 ? { text: 'done' } : 'silence'),
    );
    expect((await ask(troupe, 'first')).status).toBe('completed');
    const before = await troupe.call<Spend>('GET', '/v1/limits');
    expect(before.spend).toMatchObject({
      limits: { day: { tokens: 60_000, usd: 0 } },
      today: { tokens: 15, model_calls: 1, estimated_tokens: 0 },
    });
    // One more call is under way when the server dies.
    await troupe.call<Query>('POST', '/v1/queries', { input: 'second' });
    await until(() => provider.requests.length === 2, 20_000, 'the second call is there');
    await troupe.kill();
    const again = await open(troupe.folder);
    const { spend } = await again.call<Spend>('GET', '/v1/status');
    expect(spend.today.tokens).toBeGreaterThan(15);
    expect(spend.today.tokens).toBe(15 + spend.today.estimated_tokens);
    expect(spend.today.estimated_tokens).toBeLessThan(60_000);
  });
});
