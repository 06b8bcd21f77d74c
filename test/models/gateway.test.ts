import { describe, expect, it } from 'vitest';
import { type ModelChunk, noUsage } from '../../src/domain/message.ts';
import { type Provider, ProviderFailure } from '../../src/models/provider.ts';
import { createPublisher } from '../../src/models/publish.ts';
import { until } from '../support/until.ts';
import { collect, last, testGateway, textOf } from './support/gateway.ts';
import { json, upstream } from './support/upstream.ts';

const NOWHERE = 'http://127.0.0.1:1';
const end = (model: string): ModelChunk => ({
  type: 'end',
  finish: 'stop',
  model,
  usage: { ...noUsage(), model_calls: 1 },
});

describe('names of models', () => {
  const { gateway } = testGateway(NOWHERE, { chosen: 'echo' });
  it.each([
    'default',
    'echo',
    'offline',
    'openai:gpt-4o-mini',
    'ollama:qwen2.5-coder:7b',
    'anthropic:c',
  ])('%s can be called', (model) => {
    expect(gateway.problem(model)).toBeNull();
  });
  it.each([
    ['nobody:x', /provider "nobody" is not known.*ollama/],
    ['openai', /names no model.*openai:<model>/],
    ['openai:', /names no model/],
    ['', /not known/],
    ['echo:loud', /no models to choose from/],
    ['openrouter:x', /OPENROUTER_API_KEY/],
  ])('%j is refused with a reason', async (model, reason) => {
    expect(gateway.problem(model)).toMatch(reason);
    const test = testGateway(NOWHERE);
    expect(last(await collect(test, { model }))).toMatchObject({
      type: 'error',
      message: expect.stringMatching(reason),
    });
  });
  it('default is what was chosen, with the reason', async () => {
    expect(gateway.chosen()).toEqual({ model: 'echo', why: 'test' });
    expect(textOf(await collect(testGateway(NOWHERE, { chosen: 'echo' })))).toBe('hello');
  });
  it('a key that is missing is named, also when the model was named explicitly', () => {
    const openai = { api_key: null, api_keys: [], base_url: 'https://api.openai.com/v1' };
    expect(testGateway(NOWHERE, { settings: { openai } }).gateway.problem('openai:m')).toContain(
      'OPENAI_API_KEY',
    );
  });
  it('a server of one’s own needs no key', () => {
    const openai = { api_key: null, api_keys: [], base_url: 'http://127.0.0.1:9/v1' };
    expect(testGateway(NOWHERE, { settings: { openai } }).gateway.problem('openai:m')).toBeNull();
  });
});

describe('the breaker', () => {
  it('opens after three failed calls, lets one trial through after 300 s and closes on success', async () => {
    const up = await upstream(json(401, { error: { message: 'no' } }));
    let now = 0;
    const clock = { now: () => new Date(0), mono: () => now };
    const test = testGateway(up.url, { clock });
    for (let i = 0; i < 3; i++) await collect(test);
    expect(up.seen).toHaveLength(3);
    expect(test.gateway.breakers()).toMatchObject([
      { model: 'openai:m', state: 'open', failures: 3 },
    ]);
    const refused = last(await collect(test));
    expect(refused).toMatchObject({ message: expect.stringMatching(/paused.*300 s.*401/) });
    expect(up.seen).toHaveLength(3);
    // another model of the same provider is not concerned
    await collect(test, { model: 'openai:other' });
    expect(up.seen).toHaveLength(4);
    now += 300_000;
    expect(test.gateway.breakers()[0]?.state).toBe('half_open');
    await collect(test);
    expect(up.seen).toHaveLength(5);
    expect(last(await collect(test))).toMatchObject({ message: expect.stringContaining('paused') });
  });

  it('closes when the trial succeeds', async () => {
    let now = 0;
    let works = false;
    const flaky: Provider = {
      name: 'flaky',
      place: 'remote',
      problem: null,
      async *stream(ask) {
        if (!works) throw new ProviderFailure('answer', 'no', { status: 403 });
        yield { type: 'text', text: 'yes' };
        yield end(ask.spec);
      },
    };
    const clock = { now: () => new Date(0), mono: () => now };
    const test = testGateway(NOWHERE, { clock, providers: [flaky] });
    for (let i = 0; i < 3; i++) await collect(test, { model: 'flaky:x' });
    now += 300_000;
    works = true;
    expect(textOf(await collect(test, { model: 'flaky:x' }))).toBe('yes');
    expect(test.gateway.breakers()).toEqual([]);
  });

  it('is not opened by requests that are wrong themselves', async () => {
    const up = await upstream(json(400, { error: { message: 'too long' } }));
    const test = testGateway(up.url);
    for (let i = 0; i < 5; i++) await collect(test);
    expect(up.seen).toHaveLength(5);
  });
});

describe('a provider that misbehaves', () => {
  it.each([
    ['ends without an end', async function* () {}],
    [
      'throws something strange',
      async function* () {
        yield* [] as ModelChunk[];
        throw 'strange';
      },
    ],
  ] as [string, Provider['stream']][])('%s: one error chunk', async (_, stream) => {
    for (const place of ['remote', 'inproc'] as const) {
      const test = testGateway(NOWHERE, {
        providers: [{ name: 'odd', place, problem: null, stream }],
      });
      const model = place === 'inproc' ? 'odd' : 'odd:x';
      expect(last(await collect(test, { model })).type).toBe('error');
    }
  });
});

describe('a call that is cancelled before it starts', () => {
  it('asks nobody', async () => {
    const up = await upstream(json(200, {}));
    const chunks = await collect(testGateway(up.url), { signal: AbortSignal.abort() });
    expect(last(chunks)).toMatchObject({ message: 'cancelled' });
    expect(up.seen).toHaveLength(0);
  });
});

describe('the published text', () => {
  it('goes out at once, then gathered, and completely before the end', async () => {
    const chatty: Provider = {
      name: 'chatty',
      place: 'inproc',
      problem: null,
      async *stream(ask) {
        for (let i = 0; i < 1000; i++) yield { type: 'text', text: `${i} ` };
        yield end(ask.spec);
      },
    };
    const test = testGateway(NOWHERE, { providers: [chatty] });
    const chunks = await collect(test, { model: 'chatty' });
    expect(test.published[0]).toBe('0 ');
    expect(test.published.length).toBeLessThan(100);
    expect(test.published.join('')).toBe(textOf(chunks));
  });
  it('comes while the call goes on, and never cuts a character in two', async () => {
    const out: string[] = [];
    const publisher = createPublisher((text) => out.push(text));
    publisher.add('a🎭'.slice(0, 2));
    expect(out).toEqual(['a']);
    publisher.add('🎭'.slice(1));
    await until(() => out.length === 2, 5000, 'the second piece');
    expect(out).toEqual(['a', '🎭']);
    publisher.flush();
    publisher.flush();
    expect(out).toEqual(['a', '🎭']);
  });
  it('holds only so much', () => {
    const out: string[] = [];
    const publisher = createPublisher((text) => out.push(text));
    publisher.add('a');
    publisher.add('x'.repeat(20_000));
    expect(out.join('')).toHaveLength(20_001);
    publisher.flush();
  });
});
