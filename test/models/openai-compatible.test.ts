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

  it('brings tool calls whole, in order, however they are cut', async () => {
    const call = (index: number, more: object) => chunk({ tool_calls: [{ index, ...more }] });
    const up = await upstream(
      stream(
        [
          chunk({ content: 'I look.' }),
          call(0, { id: 'a', type: 'function', function: { name: 'read', arguments: '' } }),
          call(0, { function: { arguments: '{"pa' } }),
          call(1, { id: 'b', type: 'function', function: { name: 'list', arguments: '{}' } }),
          call(0, { function: { arguments: 'th":"가.txt"}' } }),
          chunk({}, 'tool_calls'),
        ],
        5,
      ),
    );
    const chunks = await collect(testGateway(up.url), {
      tools: [{ name: 'read', description: 'Reads', parameters: { type: 'object' } }],
    });
    const calls = chunks.flatMap((c) => (c.type === 'tool_call' ? [c.call] : []));
    expect(calls).toHaveLength(2);
    expect(calls).toContainEqual({ id: 'a', name: 'read', arguments: '{"path":"가.txt"}' });
    expect(calls).toContainEqual({ id: 'b', name: 'list', arguments: '{}' });
    expect(last(chunks)).toMatchObject({ type: 'end', finish: 'tool_calls' });
    expect(up.seen[0]?.body.tools).toMatchObject([{ function: { name: 'read' } }]);
  });

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

  it('is an end without text when the model says nothing: the loop decides what that means', async () => {
    const up = await upstream(stream([chunk({}, 'stop'), usage(3, 0)]));
    const test = testGateway(up.url);
    const chunks = await collect(test);
    expect(chunks).toHaveLength(1);
    expect(last(chunks)).toMatchObject({ type: 'end', finish: 'stop' });
    expect(test.published).toEqual([]);
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
  it('429 with Retry-After waits and then answers', async () => {
    const up = await upstream(
      json(429, { error: { message: 'slow down' } }, { 'retry-after': '1' }),
      stream(answer('fine')),
    );
    const started = performance.now();
    const chunks = await collect(testGateway(up.url));
    expect(textOf(chunks)).toBe('fine');
    expect(up.seen).toHaveLength(2);
    expect(performance.now() - started).toBeGreaterThanOrEqual(1000);
  });

  it('429 that asks for an hour is told at once, not waited for', async () => {
    const up = await upstream(json(429, { error: { message: 'slow' } }, { 'retry-after': '3600' }));
    expect(last(await collect(testGateway(up.url)))).toMatchObject({
      type: 'error',
      message: expect.stringContaining('429'),
    });
    expect(up.seen).toHaveLength(1);
  });

  it('500 is tried again', async () => {
    const up = await upstream(json(500, { error: { message: 'oops' } }), stream(answer('fine')));
    expect(textOf(await collect(testGateway(up.url)))).toBe('fine');
  });

  it('500 for ever ends after three tries', async () => {
    const up = await upstream(json(500, { error: { message: 'oops' } }));
    const end = last(await collect(testGateway(up.url)));
    expect(end).toMatchObject({ type: 'error', code: 'model_error' });
    expect(end).toMatchObject({ message: expect.stringMatching(/500.*oops.*3 tries/) });
    expect(up.seen).toHaveLength(3);
  });

  it('401 is one request, and the key is nowhere to be seen', async () => {
    const up = await upstream(
      json(401, { error: { message: `Incorrect API key provided: ${KEY}. See the docs` } }),
    );
    const test = testGateway(up.url);
    const end = last(await collect(test));
    expect(end).toMatchObject({ type: 'error', message: expect.stringContaining('401') });
    expect(JSON.stringify([end, test.logged])).not.toContain(KEY);
    expect(up.seen).toHaveLength(1);
  });

  it.each([400, 403, 404, 422])('%i is permanent', async (status) => {
    const up = await upstream(json(status, { error: { message: 'context_length_exceeded' } }));
    expect(last(await collect(testGateway(up.url)))).toMatchObject({
      message: expect.stringContaining('context_length_exceeded'),
    });
    expect(up.seen).toHaveLength(1);
  });

  it('a cut in the middle begins the answer anew, and says so: it is not glued together', async () => {
    const up = await upstream(cutAfter([chunk({ content: 'half an ' })]), stream(answer('whole')));
    const test = testGateway(up.url);
    const chunks = await collect(test);
    expect(chunks.map((c) => (c.type === 'text' ? c.text : c.type))).toEqual([
      'half an ',
      'restart',
      'whole',
      'end',
    ]);
    expect(test.published.join('')).toMatch(/^half an \n\[.*begins anew.*\]\nwhole$/);
    expect(test.notes).toMatchObject([{ policy: 'model_timeout', action: 'retry' }]);
  });

  it('a second cut in the middle is the end', async () => {
    const up = await upstream(cutAfter([chunk({ content: 'half an ' })]));
    const test = testGateway(up.url);
    expect(last(await collect(test))).toMatchObject({ type: 'error', code: 'model_error' });
    expect(up.seen).toHaveLength(2);
  });

  it('a cut before the first word is tried again', async () => {
    const up = await upstream(cutAfter([]), stream(answer('fine')));
    expect(textOf(await collect(testGateway(up.url)))).toBe('fine');
  });

  it('a cut in the middle of a tool call never brings half a call', async () => {
    const part = { index: 0, id: 'a', function: { name: 'write', arguments: '{"path":"x"' } };
    const up = await upstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(chunk({ tool_calls: [part] }))}\n\n`);
    });
    const chunks = await collect(testGateway(up.url));
    expect(chunks.filter((c) => c.type === 'tool_call')).toEqual([]);
    expect(last(chunks).type).toBe('error');
  });

  it('nobody at the address is an error that names the model', async () => {
    const up = testGateway('http://127.0.0.1:1');
    expect(last(await collect(up))).toMatchObject({
      type: 'error',
      message: expect.stringContaining('openai:m cannot be reached'),
    });
  });

  it('an error inside the stream is an error', async () => {
    const up = await upstream(
      stream([chunk({ content: 'a' }), { error: { message: 'overloaded', code: 529 } }]),
    );
    const end = last(await collect(testGateway(up.url)));
    expect(end).toMatchObject({ type: 'error', message: expect.stringContaining('overloaded') });
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

  it('silence before the first token is model_timeout, after one more try', async () => {
    const up = await upstream(hangAfter([]));
    const test = testGateway(up.url, { settings: { local_first_token_timeout_s: 0.05 } });
    expect(last(await collect(test))).toMatchObject({ type: 'error', code: 'model_timeout' });
    await until(() => up.closed() === 2, 5000, 'both requests are closed');
    expect(up.seen).toHaveLength(2);
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
