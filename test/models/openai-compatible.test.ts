// The wire format, against a real HTTP server.
import { LLMock } from '@copilotkit/aimock';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Message } from '../../src/domain/message.ts';
import { until } from '../support/until.ts';
import { collect, KEY, last, testGateway, textOf } from './support/gateway.ts';
import { chunk, cutAfter, hangAfter, json, stream, upstream, usage } from './support/upstream.ts';

const answer = (text: string) => [chunk({ content: text }), chunk({}, 'stop'), usage(3, 5)];

describe('an answer', () => {
  it.each([1, 2, 3, 7, 4096])(
    'keeps every character when the stream is cut every %i bytes',
    async (bytes) => {
      const words = ['합니다, ', '迁移完成 ', '🎭', ' done'];
      const up = await upstream(
        stream([...words.map((w) => chunk({ content: w })), chunk({}, 'stop'), usage(3, 5)], bytes),
      );
      const test = testGateway(up.url);
      const chunks = await collect(test);
      expect(textOf(chunks)).toBe('합니다, 迁移完成 🎭 done');
      expect(test.published.join('')).toBe('합니다, 迁移完成 🎭 done');
      expect(last(chunks)).toEqual({
        type: 'end',
        finish: 'stop',
        model: 'openai:m',
        usage: {
          input_tokens: 3,
          cached_input_tokens: 0,
          output_tokens: 5,
          reasoning_tokens: 0,
          cost_usd: (3 * 1 + 5 * 2) / 1e6,
          model_calls: 1,
        },
      });
    },
  );

  it('sends the whole conversation in the protocol of the server', async () => {
    const up = await upstream(stream(answer('ok')));
    const messages: Message[] = [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'read it' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'a', name: 'read', arguments: '{"path":"x"}' }],
      },
      { role: 'tool', tool_call_id: 'a', tool_name: 'read', content: 'text of x' },
    ];
    await collect(testGateway(up.url), { messages });
    expect(up.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(up.seen[0]?.body).toMatchObject({
      model: 'm',
      stream: true,
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'read it' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', function: { name: 'read', arguments: '{"path":"x"}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'text of x' },
      ],
    });
  });

  it('says when it was cut by length or refused', async () => {
    const up = await upstream(
      stream([chunk({ content: 'half' }), chunk({}, 'length')]),
      stream([chunk({ content: 'no' }), chunk({}, 'content_filter')]),
    );
    const test = testGateway(up.url);
    expect(last(await collect(test))).toMatchObject({ type: 'end', finish: 'length' });
    expect(last(await collect(test))).toMatchObject({ type: 'end', finish: 'refusal' });
  });

  it('is read from an independent implementation of the protocol too', async () => {
    const mock = new LLMock({ port: 0 });
    mock.onMessage('hello', { content: '안녕하세요' });
    await mock.start();
    onTestFinished(() => mock.stop());
    const chunks = await collect(testGateway(mock.url));
    expect(textOf(chunks)).toBe('안녕하세요');
    expect(last(chunks)).toMatchObject({ type: 'end', finish: 'stop' });
  });
});

describe('a failure', () => {
  it.each([400, 403, 404, 422])('%i is permanent', async (status) => {
    const up = await upstream(json(status, { error: { message: 'context_length_exceeded' } }));
    expect(last(await collect(testGateway(up.url)))).toMatchObject({
      message: expect.stringContaining('context_length_exceeded'),
    });
    expect(up.seen).toHaveLength(1);
  });

  it('a cut before the first word is tried again', async () => {
    const up = await upstream(cutAfter([]), stream(answer('fine')));
    expect(textOf(await collect(testGateway(up.url)))).toBe('fine');
  });
});

describe('waiting', () => {
  it('a cancel closes the request at the server and ends the call', async () => {
    const up = await upstream(hangAfter([chunk({ content: 'thinking' })]));
    const test = testGateway(up.url);
    const stop = new AbortController();
    const running = collect(test, { signal: stop.signal });
    await until(() => test.published.length > 0, 5000, 'the first text');
    stop.abort();
    expect(last(await running)).toMatchObject({ type: 'error', message: 'cancelled' });
    await until(() => up.closed() === 1, 5000, 'the server sees the request closed');
  });

  it('a consumer that leaves closes the request as well', async () => {
    const up = await upstream(hangAfter([chunk({ content: 'thinking' })]));
    const { gateway } = testGateway(up.url);
    const request = { model: 'default', messages: [], tools: [] };
    const who = { query_id: 'q', task_id: null, agent_id: null, role: 'main', run_id: 'r' };
    for await (const c of gateway.call(request, who, new AbortController().signal))
      if (c.type === 'text') break;
    await until(() => up.closed() === 1, 5000, 'the server sees the request closed');
  });

  it('an answer that never ends is model_timeout', async () => {
    const up = await upstream(hangAfter([chunk({ content: 'for ever' })]));
    const test = testGateway(up.url, { settings: { local_total_timeout_s: 0.05 } });
    const chunks = await collect(test);
    expect(textOf(chunks)).toBe('for ever');
    expect(last(chunks)).toMatchObject({ type: 'error', code: 'model_timeout' });
  });

  it('a cancel ends the pause between two tries at once', async () => {
    const up = await upstream(json(429, { error: { message: 'x' } }, { 'retry-after': '50' }));
    const stop = new AbortController();
    const running = collect(testGateway(up.url), { signal: stop.signal });
    await until(() => up.seen.length === 1, 5000, 'the first request');
    stop.abort();
    expect(last(await running)).toMatchObject({ message: 'cancelled' });
  });
});
