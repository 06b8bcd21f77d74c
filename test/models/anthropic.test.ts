// The wire format of Anthropic's messages API, against a real HTTP server.
import { LLMock } from '@copilotkit/aimock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { collect, KEY, last, testGateway, textOf } from './support/gateway.ts';
import { json, upstream } from './support/upstream.ts';

describe('anthropic', () => {
  it('streams an answer and a tool call', async () => {
    const mock = new LLMock({ port: 0 });
    mock.onMessage('hello', { content: '你好' });
    mock.onMessage('read it', {
      toolCalls: [{ name: 'read', arguments: '{"path":"x"}' }],
    });
    await mock.start();
    onTestFinished(() => mock.stop());
    const test = testGateway(mock.url);
    const chunks = await collect(test, { model: 'anthropic:claude-x' });
    expect(textOf(chunks)).toBe('你好');
    expect(last(chunks)).toMatchObject({ type: 'end', finish: 'stop' });
    const called = await collect(test, {
      model: 'anthropic:claude-x',
      messages: [{ role: 'user', content: 'read it' }],
      tools: [{ name: 'read', description: 'Reads', parameters: { type: 'object' } }],
    });
    expect(called).toContainEqual({
      type: 'tool_call',
      call: { id: expect.any(String), name: 'read', arguments: '{"path":"x"}' },
    });
    expect(last(called)).toMatchObject({ type: 'end', finish: 'tool_calls' });
  });

  it('a wrong key is one request and is not shown', async () => {
    const up = await upstream(
      json(401, { type: 'error', error: { type: 'authentication_error', message: `bad ${KEY}` } }),
    );
    const end = last(await collect(testGateway(up.url), { model: 'anthropic:claude-x' }));
    expect(end).toMatchObject({ type: 'error', message: expect.stringContaining('401') });
    expect(JSON.stringify(end)).not.toContain(KEY);
    expect(up.seen[0]?.headers['x-api-key']).toBe(KEY);
    expect(up.seen).toHaveLength(1);
  });
});
