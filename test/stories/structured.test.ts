// Results of a given shape, over HTTP and between agents, on the built product.
import { describe, expect, it } from 'vitest';
import { type ChatRequest, startProvider } from '../support/fake-provider.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';

type Shaped = {
  task_id: string;
  status: string;
  result: string | null;
  schema_valid: boolean | null;
  structured: unknown;
};
const schema = {
  type: 'object',
  properties: { total: { type: 'integer' } },
  required: ['total'],
};
const textOf = (r: ChatRequest): string => JSON.stringify(r.messages);
const lastOf = (r: ChatRequest): string => r.messages.at(-1)?.content ?? '';

/** Roles answer as their task says: `now|later` – what they say first, and what after the correction. */
const playing = () =>
  startProvider((request) => {
    const [system] = request.messages;
    if ((system?.content ?? '').startsWith('role: main')) {
      if (request.messages.some((m) => m.role === 'tool')) return { text: 'all is in' };
      const args = {
        subagent_type: 'coder',
        description: 'none|{"total":9}',
        output_schema: schema,
      };
      return { call: 'start_async_task', args: JSON.stringify(args) };
    }
    const [first = '', later = ''] = (request.messages[1]?.content ?? '').split('|');
    return { text: lastOf(request).startsWith('Your answer does not fit') ? later : first };
  });
const startWith = (url: string): Promise<Troupe> =>
  startTroupe({
    config: `[models]\ndefault = "openai:m"\n[models.openai]\nbase_url = "${url}"\napi_key = "k"\n`,
    env: { TROUPE_MODEL: '' },
  });

describe('a task with an output schema', { timeout: 90_000 }, () => {
  it('gets one correction; what fits is parsed, what does not stays as text', async () => {
    const provider = await playing();
    const troupe = await startWith(provider.url);
    const ask = async (description: string): Promise<Shaped> => {
      const body = { subagent_type: 'coder', description, output_schema: schema };
      const { task_id } = await troupe.call<Shaped>('POST', '/v1/tasks', body);
      await troupe.ended(task_id);
      return troupe.call<Shaped>('GET', `/v1/tasks/${task_id}`);
    };
    expect(await ask('{"total":3}|')).toMatchObject({
      ...{ status: 'completed', schema_valid: true, structured: { total: 3 } },
    });
    expect(textOf(provider.requests[0] as ChatRequest)).toContain('fits this JSON Schema');
    expect(provider.requests).toHaveLength(1);

    expect(await ask('{"total":"3"}|```json\n{"total":3}\n```')).toMatchObject({
      ...{ status: 'completed', schema_valid: true, structured: { total: 3 } },
      result: '```json\n{"total":3}\n```',
    });
    expect(lastOf(provider.requests[2] as ChatRequest)).toContain('/total must be integer');

    const wrong = await ask('three|still three');
    expect(wrong).toMatchObject({ status: 'completed', result: 'still three' });
    expect(wrong).toMatchObject({ schema_valid: false, structured: null });
    expect(provider.requests).toHaveLength(5);
    const events = await troupe.events(`&task_id=${wrong.task_id}&kinds=notice`);
    expect(events.find((e) => e.state === 'schema_invalid')?.detail).toContain('no JSON was found');

    const plain = await troupe.start('coder', 'as you like|');
    expect(await troupe.ended(plain.task_id)).toMatchObject({ schema_valid: null });
  });

  it('whose schema cannot be used is refused with the place of the mistake', async () => {
    const troupe = await startTroupe();
    const output_schema = { type: 'object', properties: { total: { type: 'int' } } };
    const body = { subagent_type: 'coder', description: 'count', output_schema };
    const answer = await troupe.ask<Record<string, unknown>>('POST', '/v1/tasks', body);
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'schema_invalid',
        errors: [{ path: '/output_schema/properties/total/type' }],
      },
    });
    expect(await troupe.call('GET', '/v1/tasks')).toMatchObject({ data: [] });
  });

  it('started by an agent tells its parent whether the result fits', async () => {
    const provider = await playing();
    const troupe = await startWith(provider.url);
    const headers = { prefer: 'wait=30' };
    const { body } = await troupe.ask<{ query_id: string; status: string }>(
      ...(['POST', '/v1/queries', { input: 'count it' }, headers] as const),
    );
    expect(body.status).toBe('completed');
    const told = provider.requests.find((r) => textOf(r).includes('schema_valid'));
    expect(textOf(told as ChatRequest)).toContain('schema_valid: true');
    const { data } = await troupe.call<{ data: Shaped[] }>(
      'GET',
      `/v1/tasks?query_id=${body.query_id}`,
    );
    expect(data[0]).toMatchObject({ schema_valid: true, structured: { total: 9 } });
  });
});
