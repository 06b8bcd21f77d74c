// What a model says arrives whole, whatever the network does to it: the same table over the three wire forms.
import { describe, expect, it } from 'vitest';
import type { ModelChunk, ToolSpec } from '../../../src/domain/message.ts';
import { collect, last, testGateway, textOf } from '../support/gateway.ts';
import { upstreamBeside } from '../support/upstream.ts';
import { cutInTwo, inPieces } from './bytes.ts';
import { FORMS } from './forms.ts';

const tools: ToolSpec[] = ['read', 'write', 'list'].map((name) => ({
  name,
  description: name,
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}));
const callsOf = (chunks: ModelChunk[]) =>
  chunks.flatMap((c) =>
    c.type === 'tool_call' ? [{ ...c.call, arguments: JSON.parse(c.call.arguments) }] : [],
  );
const TEXTS = ['합니다, ', '迁移完成 ', '🎭', ' done'];
const READ = { id: 'call_a', name: 'read', pieces: ['{"pa', 'th":"가', ' 나.txt"', '}'] };
const WRITE = { id: 'call_b', name: 'write', pieces: ['{"path":"b","text":"\\"{[', ']}\\""}'] };
const LIST = { id: 'call_c', name: 'list', pieces: ['{}'] };

describe.each(FORMS)('$name', (form) => {
  const { model, beside } = form;

  it.each([1, 2, 3, 7, 4096])('a text in pieces of %i bytes', async (size) => {
    const up = await upstreamBeside(beside, inPieces(form.body(TEXTS, []), size));
    const test = testGateway(up.url);
    const chunks = await collect(test, { model });
    expect(textOf(chunks)).toBe(TEXTS.join(''));
    expect(test.published.join('')).toBe(TEXTS.join(''));
    expect(last(chunks)).toMatchObject({ type: 'end', finish: 'stop', model });
  });

  it('a tool call, with a text before it', async () => {
    const up = await upstreamBeside(beside, inPieces(form.body(['I look.'], [READ])));
    const chunks = await collect(testGateway(up.url), { model, tools });
    expect(textOf(chunks)).toBe('I look.');
    expect(callsOf(chunks)).toEqual([
      { id: 'call_a', name: 'read', arguments: { path: '가 나.txt' } },
    ]);
    expect(last(chunks)).toMatchObject({ type: 'end', finish: 'tool_calls' });
    expect(JSON.stringify(up.seen[0]?.body.tools)).toContain('"read"');
  });

  it('several calls in one answer, in order', async () => {
    const up = await upstreamBeside(beside, inPieces(form.body([], [READ, WRITE, LIST]), 5));
    const chunks = await collect(testGateway(up.url), { model, tools });
    expect(callsOf(chunks)).toEqual([
      { id: 'call_a', name: 'read', arguments: { path: '가 나.txt' } },
      { id: 'call_b', name: 'write', arguments: { path: 'b', text: '"{[]}"' } },
      { id: 'call_c', name: 'list', arguments: {} },
    ]);
  });

  it('a call whose bytes are cut in two, at every byte', { timeout: 120_000 }, async () => {
    const body = form.body(['가'], [READ]);
    const cuts = Array.from({ length: body.bytes.length - 1 }, (_, i) => cutInTwo(body, i + 1));
    const up = await upstreamBeside(beside, ...cuts);
    const test = testGateway(up.url);
    for (const at of cuts.keys()) {
      const chunks = await collect(test, { model, tools });
      expect([at, textOf(chunks), callsOf(chunks)]).toEqual([
        at,
        '가',
        [{ id: 'call_a', name: 'read', arguments: { path: '가 나.txt' } }],
      ]);
    }
    expect(up.seen).toHaveLength(cuts.length);
  });

  it('arguments that are no JSON go to the loop as the model wrote them', async () => {
    const broken = { id: 'call_x', name: 'read', pieces: ['{"path', '":'] };
    const up = await upstreamBeside(beside, inPieces(form.body([], [broken])));
    const chunks = await collect(testGateway(up.url), { model, tools });
    expect(chunks.flatMap((c) => (c.type === 'tool_call' ? [c.call.arguments] : []))).toEqual([
      '{"path":',
    ]);
  });

  it('an answer without anything in it is an end: the loop decides what that means', async () => {
    const up = await upstreamBeside(beside, inPieces(form.body([], [])));
    const chunks = await collect(testGateway(up.url), { model });
    expect(chunks).toHaveLength(1);
    expect(last(chunks)).toMatchObject({ type: 'end', finish: 'stop' });
  });

  it('an answer that was cut by its length says so', async () => {
    const up = await upstreamBeside(
      beside,
      inPieces(form.body(['half'], [], { reason: 'length' })),
    );
    expect(last(await collect(testGateway(up.url), { model }))).toMatchObject({ finish: 'length' });
  });

  it('tokens are counted as the provider counts them, and cost what the configuration says', async () => {
    const cached = form.name === 'Ollama' ? 0 : 1000;
    const body = form.body(['x'], [], { input: 3000, cached, output: 500 });
    const up = await upstreamBeside(beside, inPieces(body));
    const prices = { [model]: { input: 2, output: 10, cached_input: 0.5 } };
    const test = testGateway(up.url, { settings: { prices } });
    const end = last(await collect(test, { model }));
    const usage = {
      ...{ input_tokens: 3000, cached_input_tokens: cached, output_tokens: 500, model_calls: 1 },
      cost_usd: ((3000 - cached) * 2 + cached * 0.5 + 500 * 10) / 1e6,
    };
    expect(end).toMatchObject({ type: 'end', usage });
    expect(test.tries).toMatchObject([{ model, status: 'ok', usage }]);
  });

  it('a model without a price has no cost: nobody guesses', async () => {
    const up = await upstreamBeside(beside, inPieces(form.body(['x'], [])));
    const test = testGateway(up.url, { settings: { prices: {} } });
    expect(last(await collect(test, { model }))).toMatchObject({ usage: { cost_usd: null } });
  });
});
