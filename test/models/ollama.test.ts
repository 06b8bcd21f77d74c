// What only Ollama has: the size of the context, what a model can do, thinking, and what is said when it cannot.
import { describe, expect, it } from 'vitest';
import type { Message, ToolSpec } from '../../src/domain/message.ts';
import { until } from '../support/until.ts';
import { collect, last, testGateway, textOf } from './support/gateway.ts';
import { json, type Script, upstreamBeside } from './support/upstream.ts';
import { hang, inPieces } from './wire/bytes.ts';

const model = 'ollama:qwen';
const tools: ToolSpec[] = [{ name: 'read', description: 'Reads', parameters: { type: 'object' } }];
const rows = (...all: object[]): Script =>
  inPieces({
    type: 'application/x-ndjson',
    bytes: Buffer.from(all.map((r) => `${JSON.stringify(r)}\n`).join('')),
  });
const said = (message: object) => ({ message: { role: 'assistant', content: '', ...message } });
const done = { ...said({}), done: true, done_reason: 'stop', prompt_eval_count: 5, eval_count: 3 };
const fine = rows(said({ content: 'fine' }), done);
const shows = (...capabilities: string[]): Script => json(200, { capabilities });

describe('a request', () => {
  it('asks for room for the conversation and never lets it be cut in silence', async () => {
    const up = await upstreamBeside({ '/api/show': shows('completion', 'tools') }, fine);
    const ollama = { base_url: `${up.url}/`, num_ctx: 32_000, keep_alive: '10m' };
    const messages: Message[] = [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'read it' },
      {
        role: 'assistant',
        content: '',
        reasoning: 'hm',
        tool_calls: [
          { id: 'a', name: 'read', arguments: '{"path":"x"}' },
          { id: 'b', name: 'read', arguments: '{"path' },
        ],
      },
      { role: 'tool', tool_call_id: 'a', tool_name: 'read', content: 'text of x' },
    ];
    await collect(testGateway(up.url, { settings: { ollama } }), { model, messages, tools });
    expect(up.seen[0]?.body).toEqual({
      model: 'qwen',
      stream: true,
      truncate: false,
      shift: false,
      keep_alive: '10m',
      options: { num_ctx: 32_000 },
      tools: [{ type: 'function', function: tools[0] }],
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'read it' },
        {
          role: 'assistant',
          content: '',
          thinking: 'hm',
          tool_calls: [
            { function: { name: 'read', arguments: { path: 'x' } } },
            { function: { name: 'read', arguments: { not_an_object: '{"path' } } },
          ],
        },
        { role: 'tool', content: 'text of x', tool_name: 'read' },
      ],
    });
  });

  it('leaves to the server what is not set', async () => {
    const up = await upstreamBeside({ '/api/show': shows('completion') }, fine);
    const ollama = { base_url: up.url, num_ctx: 0, keep_alive: '-1' };
    await collect(testGateway(up.url, { settings: { ollama } }), { model });
    expect(up.seen[0]?.body).toMatchObject({ keep_alive: -1 });
    expect(up.seen[0]?.body).not.toHaveProperty('options');
    expect(up.seen[0]?.body).not.toHaveProperty('tools');
  });
});

describe('what the model can do', () => {
  it('is asked once per model', async () => {
    let asked = 0;
    const show: Script = (response, request) => {
      asked += 1;
      return shows('completion', 'tools')(response, request);
    };
    const up = await upstreamBeside({ '/api/show': show }, fine);
    const test = testGateway(up.url);
    for (let i = 0; i < 3; i++) await collect(test, { model, tools });
    await collect(test, { model: 'ollama:other', tools });
    expect(asked).toBe(2);
  });

  it('without tools: nothing is asked of it, and the error names those that can', async () => {
    const able = json(200, { capabilities: ['tools'] });
    const beside: Record<string, Script> = {
      '/api/show': shows('completion'),
      '/api/tags': (response, request) => {
        // From here on every other model can use tools.
        beside['/api/show'] = able;
        return json(200, {
          models: [{ name: 'qwen' }, { name: 'qwen3:8b' }, { name: 'llama3.1:8b' }],
        })(response, request);
      },
    };
    const up = await upstreamBeside(beside, fine);
    const test = testGateway(up.url);
    const end = last(await collect(test, { model, tools }));
    expect(end).toMatchObject({
      type: 'error',
      message:
        'ollama:qwen cannot use tools, which agents need; models there that can: ollama:qwen3:8b, ollama:llama3.1:8b',
    });
    expect(up.seen).toHaveLength(0);
    expect(test.gateway.breakers()).toEqual([]);
    // An agent without tools may use it.
    expect(textOf(await collect(test, { model }))).toBe('fine');
  });

  it('is read from the template of servers that do not list it, and not asked of those that do not know', async () => {
    const old = await upstreamBeside(
      { '/api/show': json(200, { template: '{{ if .Tools }}' }) },
      fine,
    );
    expect(textOf(await collect(testGateway(old.url), { model, tools }))).toBe('fine');
    const proxy = await upstreamBeside({ '/api/show': json(404, {}) }, fine);
    expect(textOf(await collect(testGateway(proxy.url), { model, tools }))).toBe('fine');
  });

  it('a model that is not there is named with the command that fetches it', async () => {
    const missing = json(404, { error: 'model "qwen" not found' });
    const tags = json(200, { models: [{ name: 'llama3.1:8b' }] });
    const up = await upstreamBeside({ '/api/show': missing, '/api/tags': tags }, missing);
    expect(last(await collect(testGateway(up.url), { model }))).toMatchObject({
      message:
        'ollama:qwen is not on that server: fetch it with "ollama pull qwen"; there are llama3.1:8b',
    });
  });
});

describe('thinking', () => {
  it('is kept apart from the answer, in a field or between tags', async () => {
    const field = rows(
      said({ thinking: 'let me ' }),
      said({ thinking: 'see' }),
      said({ content: 'yes' }),
      done,
    );
    const tags = rows(
      said({ content: '<thi' }),
      said({ content: 'nk>let me see</think>' }),
      said({ content: '\nyes' }),
      done,
    );
    const up = await upstreamBeside({ '/api/show': shows('tools', 'thinking') }, field, tags);
    const test = testGateway(up.url);
    for (let i = 0; i < 2; i++) {
      const chunks = await collect(test, { model });
      expect(textOf(chunks)).toBe('yes');
      expect(chunks.map((c) => (c.type === 'reasoning' ? c.text : '')).join('')).toBe('let me see');
    }
    expect(test.published.join('')).toBe('yesyes');
    expect(up.seen[0]?.body).toMatchObject({ think: true });
  });
});

it('a cancel ends the request at the server', async () => {
  const body = {
    type: 'application/x-ndjson',
    bytes: Buffer.from(`${JSON.stringify(said({ content: 'a' }))}\n`),
  };
  const up = await upstreamBeside({ '/api/show': shows('tools') }, hang(body));
  const test = testGateway(up.url);
  const stop = new AbortController();
  const call = collect(test, { model, signal: stop.signal });
  await until(() => test.published.length > 0, 5_000, 'the first text');
  stop.abort();
  expect(last(await call)).toMatchObject({ type: 'error', message: 'cancelled' });
  await until(() => up.closed() === 1, 5_000, 'the server sees the request closed');
});
