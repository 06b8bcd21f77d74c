// Each of the six policies, set off on the real server: it tries again as often as its table says, takes its other
// way where it has one, stops, tells the user in three languages, and notes it in loop_runs.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { POLICIES } from '../../src/resilience/policy.ts';
import { type ChatAnswer, type ChatRequest, startProvider } from '../support/fake-provider.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const CONFIG = `
[models]
first_token_timeout_s = 1
local_first_token_timeout_s = 1
total_timeout_s = 20
local_total_timeout_s = 20
`;
type QueryView = {
  query_id: string;
  status: string;
  answer: string | null;
  error: { message: string; reasons: string[] } | null;
};

async function ask(answer: (request: ChatRequest, n: number) => ChatAnswer, model = 'openai:main') {
  const provider = await startProvider(answer);
  const troupe = await startTroupe({
    config: CONFIG,
    env: { TROUPE_MODEL: model, OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url },
  });
  const { query_id } = await troupe.call<QueryView>('POST', '/v1/queries', {
    input: 'do the work',
  });
  const query = await until(
    async () => {
      const seen = await troupe.call<QueryView>('GET', `/v1/queries/${query_id}`);
      return ['completed', 'degraded', 'failed'].includes(seen.status) && seen;
    },
    40_000,
    'the query ends',
  );
  const notes = (await troupe.events(`&query_id=${query_id}&kinds=policy`)).map((e) => ({
    policy: e.state,
    action: e.data.action,
    attempt: e.data.attempt,
    user_status: e.data.user_status as Record<string, string>,
  }));
  return { troupe, provider, query, notes };
}

async function loopRow(
  troupe: Troupe,
): Promise<{ status: string; retries: number; policy: Record<string, unknown> }> {
  await troupe.stop();
  const db = new Database(join(troupe.folder, 'troupe.db'), { readonly: true });
  const row = db.prepare('SELECT status, retries, metadata_json FROM loop_runs').get() as {
    status: string;
    retries: number;
    metadata_json: string;
  };
  db.close();
  return { ...row, policy: JSON.parse(row.metadata_json).policy };
}
const told = (notes: { policy: string; action: unknown }[]): string[] =>
  notes.map((n) => `${n.policy} ${n.action}`);

describe('the policies', { timeout: 90_000 }, () => {
  it('model_timeout: asks again once, then stops', async () => {
    const { provider, query, notes, troupe } = await ask(() => 'silence');
    expect(provider.requests).toHaveLength(1 + POLICIES.model_timeout.max_retries);
    expect(query).toMatchObject({ status: 'failed' });
    expect(told(notes)).toEqual(['model_timeout retry', 'model_timeout stop']);
    expect(Object.keys(notes[0]?.user_status ?? {})).toEqual(['en', 'ko', 'zh']);
    expect(await loopRow(troupe)).toMatchObject({
      status: 'failed',
      retries: 1,
      policy: { name: 'model_timeout', action: 'stop', max_retries: 1 },
    });
  });

  it('external_api_error: two more tries, then stops; an answer in between ends it', async () => {
    const broken = await ask(() => ({ status: 500 }));
    expect(broken.provider.requests).toHaveLength(1 + POLICIES.external_api_error.max_retries);
    expect(told(broken.notes)).toEqual([
      'external_api_error retry',
      'external_api_error retry',
      'external_api_error stop',
    ]);
    expect(await loopRow(broken.troupe)).toMatchObject({ retries: 2, status: 'failed' });
    const healed = await ask((_, n) => (n === 0 ? { status: 503 } : { text: 'fine' }));
    expect(healed.query).toMatchObject({ status: 'completed', answer: 'fine' });
    expect(told(healed.notes)).toEqual(['external_api_error retry']);
  });

  it('tool_call_error: the call may be written again once; the same error again is the end', async () => {
    const { provider, query, notes } = await ask(() => ({ call: 'write', args: '{"path":' }));
    expect(provider.requests).toHaveLength(2);
    expect(query.status).toBe('failed');
    expect(told(notes)).toEqual(['tool_call_error retry', 'tool_call_error stop']);
  });

  it('no_progress_loop: one warning, then the run stops', async () => {
    const { query, notes, troupe } = await ask(() => ({ call: 'list', args: '{}' }));
    expect(query).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('same') },
    });
    expect(told(notes)).toEqual(['no_progress_loop retry', 'no_progress_loop stop']);
    expect(await loopRow(troupe)).toMatchObject({
      policy: { name: 'no_progress_loop', action: 'stop' },
    });
  });

  it('safe_stop: a risky command is not run, and the run stops at once with the reason', async () => {
    const { provider, query, notes } = await ask(() => ({
      call: 'shell',
      args: '{"command":"rm -rf /"}',
    }));
    expect(provider.requests).toHaveLength(1);
    expect(query).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('not run') },
    });
    expect(told(notes)).toEqual(['safe_stop stop']);
  });

  it('subagent_failure: the alternate role tries once; when it fails too both reasons are told', async () => {
    const { query, notes, troupe } = await ask((request) => {
      const system = request.messages[0]?.content ?? '';
      if (!system.startsWith('role: main')) return { status: 401 };
      if (
        request.messages.some(
          (m) => m.role === 'user' && m.content?.includes('of your tasks ended'),
        )
      )
        return { text: 'the task could not be done' };
      if (request.messages.some((m) => m.role === 'tool')) return { text: 'waiting for it' };
      return {
        call: 'start_async_task',
        args: '{"subagent_type":"architect","description":"draw"}',
      };
    });
    expect(query).toMatchObject({ answer: 'the task could not be done' });
    expect(told(notes).filter((n) => n.startsWith('subagent'))).toEqual([
      'subagent_failure retry',
      'subagent_failure stop',
    ]);
    const [task] = (
      await troupe.call<{ data: { error: { reasons: string[] }; attempts: { role: string }[] }[] }>(
        'GET',
        '/v1/tasks',
      )
    ).data;
    expect(task?.attempts.map((a) => a.role)).toEqual(['architect', 'planner']);
    expect(task?.error.reasons.join(' ')).toMatch(/architect: .*planner: /s);
  });
});
