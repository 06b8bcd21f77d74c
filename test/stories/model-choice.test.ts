// Which model really answers, and what it costs, on the real server: rows, events, status, metrics and log say it.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../src/domain/message.ts';
import { type ChatAnswer, type ChatRequest, startProvider } from '../support/fake-provider.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';

type Query = { query_id: string; status: string; answer: string | null; usage: Usage };
type Node = { usage: Usage; subtree_usage: Usage; children: Node[] };

async function serve(config: string, answer: (request: ChatRequest, n: number) => ChatAnswer) {
  const provider = await startProvider(answer);
  const troupe = await startTroupe({
    config,
    env: {
      TROUPE_MODEL: 'openai:main',
      TROUPE_LOG_LEVEL: 'info',
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: provider.url,
    },
  });
  return { troupe, provider };
}
async function ask(troupe: Troupe, input: string): Promise<Query> {
  const { query_id } = await troupe.call<Query>('POST', '/v1/queries', { input });
  return await troupe.call<Query>('GET', `/v1/queries/${query_id}?wait_ms=30000`);
}
const metrics = async (troupe: Troupe): Promise<string> =>
  (await troupe.ask<string>('GET', '/metrics')).body;

describe('the models of an agent', { timeout: 60_000 }, () => {
  it('when the first fails the next one answers, and the row of the turn names both', async () => {
    const { troupe, provider } = await serve(
      '[models]\nfallback = ["openai:second", "openai:third"]\n',
      ({ model }) => (model === 'third' ? { text: 'from the third' } : { status: 401 }),
    );
    const query = await ask(troupe, 'do it');
    expect(query).toMatchObject({ status: 'completed', answer: 'from the third' });
    expect(provider.requests.map((r) => r.model)).toEqual(['main', 'second', 'third']);
    const notes = await troupe.events(`&query_id=${query.query_id}&kinds=policy`);
    expect(notes.map((e) => [e.state, e.data.action])).toEqual([
      ['external_api_error', 'fallback'],
      ['external_api_error', 'fallback'],
    ]);
    expect(notes[0]?.detail).toMatch(/^openai:main answered 401.*asking openai:second instead$/);
    const status = await troupe.call<{ models: object }>('GET', '/v1/status');
    expect(status.models).toMatchObject({
      default: 'openai:main',
      models: [
        { model: 'openai:main', priority: 1, state: 'closed', failures: 1 },
        { model: 'openai:second', priority: 2, state: 'closed', failures: 1 },
        { model: 'openai:third', priority: 3, state: 'closed', failures: 0 },
      ],
      keys: [{ provider: 'openai', keys: 1, resting: 0, refused: 0 }],
    });
    const text = await metrics(troupe);
    expect(text).toMatch(
      /troupe_llm_requests_total\{provider="openai",model="openai:main",status="error"\} 1/,
    );
    expect(text).toMatch(/troupe_llm_tokens_total\{model="openai:third",type="input"\} 10/);
    expect(text).toMatch(/troupe_llm_request_duration_seconds_count\{.*model="openai:third"\} 1/);
    await troupe.stop();
    const db = new Sqlite(join(troupe.folder, 'troupe.db'), { readonly: true });
    const row = db.prepare('SELECT model, fallback_model, retries FROM loop_runs').get();
    db.close();
    expect(row).toEqual({ model: 'openai:main', fallback_model: 'openai:third', retries: 2 });
  });

  it('a role marked cheap uses the cheap model, and its row, event and log line say why', async () => {
    const { troupe, provider } = await serve(
      '[models]\ncheap = "openai:small"\nstrong = "openai:big"\n[async_subagents.coder]\ntier = "cheap"\n',
      ({ model }) => ({ text: `by ${model}` }),
    );
    const coder = await troupe.start('coder', 'write it');
    expect((await troupe.ended(coder.task_id)).result).toBe('by small');
    // Planner is marked strong as it comes, and mobile is not marked at all.
    const planner = await troupe.start('planner', 'plan it');
    expect((await troupe.ended(planner.task_id)).result).toBe('by big');
    const mobile = await troupe.start('mobile', 'swipe it');
    expect((await troupe.ended(mobile.task_id)).result).toBe('by main');
    expect(provider.requests.map((r) => r.model)).toEqual(['small', 'big', 'main']);
    const { data } = await troupe.call<{ data: { task_id: string; model: string }[] }>(
      'GET',
      '/v1/subagents',
    );
    expect(data.find((a) => a.task_id === coder.task_id)?.model).toBe('openai:small');
    const events = await troupe.events(`&task_id=${coder.task_id}&kinds=subagent`);
    expect(events.find((e) => e.state === 'running')?.data).toMatchObject({
      model: 'openai:small',
      model_why: 'tier cheap',
    });
    expect(troupe.output()).toMatch(/"model":"openai:small","model_why":"tier cheap"/);
  });

  it('what a query costs is the sum of what its agents were charged', async () => {
    const { troupe, provider } = await serve(
      '[models.prices]\n"openai:main" = { input = 1, output = 2 }\n',
      (request) => {
        const { content } = request.messages[0] ?? {};
        if (!content?.startsWith('role: main')) return { text: 'drawn' };
        if (request.messages.some((m) => m.content?.includes('of your tasks ended')))
          return { text: 'all done' };
        if (request.messages.some((m) => m.role === 'tool')) return { text: 'waiting' };
        return {
          call: 'start_async_task',
          args: '{"subagent_type":"architect","description":"x"}',
        };
      },
    );
    const query = await ask(troupe, 'draw');
    expect(query.status).toBe('completed');
    const calls = provider.requests.length;
    const charged = { input_tokens: 10 * calls, output_tokens: 5 * calls, model_calls: calls };
    expect(query.usage).toMatchObject(charged);
    expect(query.usage.cost_usd).toBeCloseTo((calls * (10 * 1 + 5 * 2)) / 1e6, 12);
    const root = await troupe.call<Node>('GET', `/v1/queries/${query.query_id}/tree`);
    expect(root.subtree_usage).toMatchObject(charged);
    expect(root.usage.model_calls + (root.children[0]?.usage.model_calls ?? 0)).toBe(calls);
    expect(await metrics(troupe)).toMatch(
      new RegExp(`troupe_llm_tokens_total\\{model="openai:main",type="output"\\} ${5 * calls}\\n`),
    );
  });
});
