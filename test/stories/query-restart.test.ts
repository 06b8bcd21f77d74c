// A query survives the death of main in the middle: its own turn goes on, nothing is started or told twice.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProvider } from '../support/fake-provider.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

type QueryView = { query_id: string; status: string; answer: string | null; workdir: string };
const ended = (troupe: Troupe, id: string) =>
  until(
    async () => {
      const query = await troupe.call<QueryView>('GET', `/v1/queries/${id}`);
      return ['completed', 'degraded', 'failed'].includes(query.status) && query;
    },
    60_000,
    'the query ends',
  );
const tasksOf = async (troupe: Troupe, id: string) =>
  (
    await troupe.call<{ data: { task_id: string; status: string; subagent_type: string }[] }>(
      'GET',
      `/v1/tasks?query_id=${id}`,
    )
  ).data;

describe('kill -9 of main in the middle of a query', { timeout: 120_000 }, () => {
  for (const when of ['the first role works', 'a later role works'])
    it(`while ${when}: the same query finishes after a restart, each part once`, async () => {
      const env = { TROUPE_MODEL: 'offline' };
      const first = await startTroupe({ env });
      const input = 'Build a small todo REST API with tests and write its README';
      const ask = { input, review: 'off' };
      const { query_id } = await first.call<QueryView>('POST', '/v1/queries', ask);
      const role = when.startsWith('the first') ? 'planner' : 'coder';
      await until(
        async () =>
          (await tasksOf(first, query_id)).some(
            (t) => t.subagent_type === role && t.status === 'running',
          ),
        40_000,
        `${role} runs`,
      );
      await first.kill();
      const second = await startTroupe({ env, folder: first.folder });
      const query = await ended(second, query_id);
      expect(query.status).toBe('completed');
      const tasks = await tasksOf(second, query_id);
      expect(tasks.map((t) => t.subagent_type).sort()).toEqual([
        'backend',
        'coder',
        'coder',
        'planner',
        'reviewer',
      ]);
      expect(tasks.every((t) => t.status === 'completed')).toBe(true);
      for (const file of ['server.mjs', 'server.test.mjs', 'README.md'])
        expect(existsSync(join(query.workdir, file))).toBe(true);
      const ends = (await second.events(`&query_id=${query_id}&kinds=query`)).filter(
        (e) => e.state === 'completed',
      );
      expect(ends).toHaveLength(1);
    });

  it('a result that had ended but was not told yet is told exactly once', async () => {
    // The main agent is told of the end of its task by one message; the model counts how often it sees it.
    let told = 0;
    const provider = await startProvider((request) => {
      const system = request.messages[0]?.content ?? '';
      if (!system.startsWith('role: main')) return { text: 'the child is done' };
      const notices = request.messages.filter(
        (m) => m.role === 'user' && m.content?.includes('of your tasks ended'),
      );
      told = notices.length;
      if (notices.length > 0) return { text: `told ${notices.length} time(s)` };
      if (request.messages.some((m) => m.role === 'tool')) return { text: 'I wait' };
      return { call: 'start_async_task', args: '{"subagent_type":"coder","description":"x"}' };
    });
    const env = {
      TROUPE_MODEL: 'openai:m',
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: provider.url,
    };
    const first = await startTroupe({ env });
    const { query_id } = await first.call<QueryView>('POST', '/v1/queries', { input: 'go' });
    await until(
      async () => (await tasksOf(first, query_id)).some((t) => t.status === 'completed'),
      40_000,
      'the child ends',
    );
    await first.kill();
    const second = await startTroupe({ env, folder: first.folder });
    expect((await ended(second, query_id)).answer).toBe('told 1 time(s)');
    expect(told).toBe(1);
    expect(await tasksOf(second, query_id)).toHaveLength(1);
  });
});
