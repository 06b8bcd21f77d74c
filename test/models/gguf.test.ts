// The model file that runs inside main, with a module in the place of node-llama-cpp that does what it is told.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Message, ToolSpec } from '../../src/domain/message.ts';
import { createGguf } from '../../src/models/gguf.ts';
import type { GgufChat, GgufModule } from '../../src/models/gguf-module.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { collect, hello, last, testGateway, textOf } from './support/gateway.ts';

type Asked = Parameters<GgufChat['generateResponse']>;
type Generate = (...asked: Asked) => ReturnType<GgufChat['generateResponse']>;

function world(generate: Generate, load?: () => Promise<GgufModule>) {
  const path = join(tempFolder(), 'tiny.gguf');
  writeFileSync(path, 'GGUF');
  const asked: Asked[] = [];
  const events: string[] = [];
  const module: GgufModule = {
    async getLlama(options) {
      events.push(`llama ${options.build}`);
      return {
        async loadModel({ modelPath }) {
          events.push(`load ${modelPath === path}`);
          return {
            tokenizer: null,
            createContext: async ({ contextSize = 0 }) => ({
              contextSize,
              getSequence: () => ({
                tokenMeter: {
                  getState: () => ({ usedInputTokens: 0, usedOutputTokens: 0 }),
                  diff: () => ({ usedInputTokens: 0, usedOutputTokens: 4 }),
                },
                dispose() {},
              }),
            }),
            dispose: async () => void events.push('dispose'),
          };
        },
      };
    },
    LlamaChat: class implements GgufChat {
      chatWrapper: GgufChat['chatWrapper'] = {
        // A token is a character here.
        generateContextState: ({ chatHistory }) => ({
          contextText: { tokenize: () => ({ length: JSON.stringify(chatHistory).length }) },
        }),
      };
      generateResponse(...all: Asked) {
        asked.push(all);
        return generate(...all);
      }
    },
  };
  const provider = createGguf({ num_ctx: 1_000, prices: {}, load: load ?? (async () => module) });
  const test = testGateway('http://127.0.0.1:1', { providers: [provider] });
  return { test, model: `gguf:${path}`, asked, events };
}
const says =
  (text: string, stopReason = 'eogToken'): Generate =>
  async (_, { onResponseChunk }) => {
    onResponseChunk({ text });
    return { metadata: { stopReason } };
  };
const tools: ToolSpec[] = [
  {
    name: 'read',
    description: 'Reads',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, limit: { type: 'integer', description: 'lines' } },
      required: ['path'],
    },
  },
  { name: 'list', description: 'Lists', parameters: { type: 'object' } },
];

describe('a model file', () => {
  it('is loaded once and never built; its thinking is kept apart', async () => {
    const { test, model, events, asked } = world(async (_, { onResponseChunk }) => {
      onResponseChunk({ type: 'segment', text: 'hm' });
      onResponseChunk({ text: 'yes' });
      return { metadata: { stopReason: 'eogToken' } };
    });
    for (let i = 0; i < 2; i++) {
      const chunks = await collect(test, { model });
      expect(textOf(chunks)).toBe('yes');
      expect(chunks).toContainEqual({ type: 'reasoning', text: 'hm' });
      expect(last(chunks)).toMatchObject({ finish: 'stop', model, usage: { output_tokens: 4 } });
    }
    expect(events).toEqual(['llama never', 'load true']);
    expect(asked[0]?.[1]).toMatchObject({ contextShift: { size: 1 } });
  });

  it('calls tools: what may be left out is null for it, and is left out again', async () => {
    const { test, model, asked } = world(async () => ({
      functionCalls: [{ functionName: 'read', params: { path: 'a', limit: null } }],
      metadata: { stopReason: 'functionCalls' },
    }));
    const messages: Message[] = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'x', name: 'list', arguments: '{}' }],
      },
      { role: 'tool', tool_call_id: 'x', tool_name: 'list', content: 'a b' },
    ];
    const chunks = await collect(test, { model, messages, tools });
    expect(chunks[0]).toMatchObject({ call: { name: 'read', arguments: '{"path":"a"}' } });
    expect(last(chunks)).toMatchObject({ finish: 'tool_calls' });
    expect(asked[0]?.[0]).toEqual([
      { type: 'user', text: 'go' },
      {
        type: 'model',
        response: ['I look.', { type: 'functionCall', name: 'list', params: {}, result: 'a b' }],
      },
    ]);
    expect(asked[0]?.[1].functions).toEqual({
      read: {
        description: 'Reads',
        params: {
          type: 'object',
          properties: {
            path: { type: 'string' },
            limit: { oneOf: [{ type: 'integer', description: 'lines' }, { type: 'null' }] },
          },
        },
      },
      list: { description: 'Lists' },
    });
  });

  it('says when the conversation is too long, and when an answer was cut', async () => {
    const { test, model, asked } = world(says('half', 'maxTokens'));
    const long: Message[] = [{ role: 'user', content: 'x'.repeat(990) }];
    expect(last(await collect(test, { model, messages: long }))).toMatchObject({
      code: 'context_overflow',
      message: expect.stringMatching(/too long for gguf:.*: 10\d\d tokens of 1000/),
    });
    expect(asked).toHaveLength(0);
    expect(last(await collect(test, { model }))).toMatchObject({ finish: 'length' });
  });

  it('answers one call at a time; one that is cancelled makes room for the next', async () => {
    let running = 0;
    const { test, model, asked } = world(async (history, { signal, onResponseChunk }) => {
      running += 1;
      expect(running).toBe(1);
      const text = JSON.stringify(history);
      if (text.includes('for ever'))
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        ).finally(() => (running -= 1));
      onResponseChunk({ text: 'done' });
      running -= 1;
      return { metadata: { stopReason: 'eogToken' } };
    });
    const stop = new AbortController();
    const messages: Message[] = [{ role: 'user', content: 'for ever' }];
    const first = collect(test, { model, messages, signal: stop.signal });
    await until(() => asked.length === 1, 5_000, 'the first call is at work');
    const second = collect(test, { model, messages: hello });
    stop.abort();
    expect(last(await first)).toMatchObject({ message: 'cancelled' });
    expect(textOf(await second)).toBe('done');
  });

  it('without the module, or without the file, the error says what to do', async () => {
    const missing = Object.assign(new Error('nope'), { code: 'ERR_MODULE_NOT_FOUND' });
    const { test, model } = world(says(''), () => Promise.reject(missing));
    expect(last(await collect(test, { model }))).toMatchObject({
      message: expect.stringMatching(
        /needs node-llama-cpp, which is not installed: run "npm install node-llama-cpp"/,
      ),
    });
    expect(last(await collect(test, { model: 'gguf:/no/such.gguf' }))).toMatchObject({
      message: 'gguf:/no/such.gguf: there is no file /no/such.gguf',
    });
    // The module is really asked for when nobody gives another one.
    const bare = testGateway('http://127.0.0.1:1');
    expect(last(await collect(bare, { model }))).toMatchObject({
      message: expect.stringContaining('node-llama-cpp'),
    });
  });
});
