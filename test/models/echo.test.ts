import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/domain/message.ts';
import { echoStep } from '../../src/models/echo.ts';
import { collect, last, testGateway, textOf } from './support/gateway.ts';

const user = (content: string): Message => ({ role: 'user', content });
const called = (step: ReturnType<typeof echoStep>): Message[] => [
  { role: 'assistant', content: '', tool_calls: step.calls },
  ...step.calls.map(
    (c): Message => ({ role: 'tool', tool_call_id: c.id, tool_name: c.name, content: 'done' }),
  ),
];

describe('echo', () => {
  it('answers with the last human text, not with a notice', () => {
    const messages: Message[] = [
      user('first'),
      { role: 'assistant', content: 'first' },
      user('second'),
      { role: 'user', kind: 'notice', content: 'a task has ended' },
    ];
    expect(echoStep(messages)).toEqual({ delay_ms: 0, end: 'answer', text: 'second', calls: [] });
  });

  it('is a pure function of the messages', () => {
    const messages = [user('[[tool read {"path":"a"}]] hi')];
    expect(echoStep(messages)).toEqual(echoStep(structuredClone(messages)));
  });

  it('calls all its tools in the first step and answers with the rest after their results', () => {
    const ask = user('see [[tool read {"path":"a]]b"}]]and [[tool list {}]] this');
    const first = echoStep([ask]);
    expect(first.text).toBe('');
    expect(first.calls.map(({ name, arguments: a }) => [name, a])).toEqual([
      ['read', '{"path":"a]]b"}'],
      ['list', '{}'],
    ]);
    expect(new Set(first.calls.map((c) => c.id)).size).toBe(2);
    const after = [ask, ...called(first)];
    expect(echoStep(after)).toMatchObject({ text: 'see and  this', calls: [] });
    const notice: Message = { role: 'user', kind: 'notice', content: 'x' };
    expect(echoStep([...after, { role: 'assistant', content: 'x' }, notice]).calls).toEqual([]);
  });

  it('starts anew, with new ids, for a new human text', () => {
    const first = echoStep([user('[[tool list {}]]')]);
    const next = echoStep([user('[[tool list {}]]'), ...called(first), user('[[tool list {}]]')]);
    expect(next.calls[0]?.id).not.toBe(first.calls[0]?.id);
  });

  it('lets a tool argument hold directives of its own', () => {
    const inner = JSON.stringify({ description: 'say [[delay=5]] [[tool read {"path":"}"}]]' });
    expect(echoStep([user(`[[tool start_async_task ${inner}]]`)])).toMatchObject({
      delay_ms: 0,
      calls: [{ name: 'start_async_task', arguments: inner }],
    });
  });

  it('passes broken arguments on as they stand', () => {
    expect(echoStep([user('[[tool read {"path":]]')]).calls[0]?.arguments).toBe('{"path":');
  });

  it.each([
    ['[[delay=20]]hi', 20],
    ['hi[[delay=20]][[delay=5]]', 25],
    ['[[delay=x]]', 0],
  ])('%j waits %i ms', (text, ms) => {
    expect(echoStep([user(text)]).delay_ms).toBe(ms);
  });

  it('delays before a tool come before the tool, delays after it before the answer', () => {
    const ask = user('[[delay=1]][[tool list {}]][[delay=10]]');
    const first = echoStep([ask]);
    expect(first.delay_ms).toBe(1);
    expect(echoStep([ask, ...called(first)]).delay_ms).toBe(10);
  });

  it.each([
    ['', 'ok'],
    ['[[fai]] [[ x ]]', '[[fai]] [[ x ]]'],
    ['[[tool', '[[tool'],
    ['[[tool read {"a":1}', '[[tool read {"a":1}'],
  ])('%j is only text', (text, answer) => {
    expect(echoStep([user(text)])).toMatchObject({ text: answer, calls: [] });
  });

  it('stays fast on a long hostile text', () => {
    const started = performance.now();
    echoStep([user('[[tool a {"'.repeat(2000))]);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('echo through the gateway', () => {
  const ask = (content: string) => ({ model: 'echo', messages: [user(content)] });

  it('streams the text and publishes it', async () => {
    const test = testGateway('http://127.0.0.1:1');
    const chunks = await collect(test, ask('안녕'));
    expect(textOf(chunks)).toBe('안녕');
    expect(test.published).toEqual(['안녕']);
    expect(last(chunks)).toMatchObject({ type: 'end', finish: 'stop', model: 'echo' });
  });
  it('fails and asks a person when it is told to', async () => {
    const test = testGateway('http://127.0.0.1:1');
    expect(last(await collect(test, ask('[[fail]]')))).toMatchObject({ code: 'model_error' });
    const asks = await collect(test, ask('[[interrupt]] go'));
    const call = asks.find((chunk) => chunk.type === 'tool_call')?.call;
    expect(call).toMatchObject({ name: 'ask_user' });
    const answered: Message[] = [
      user('[[interrupt]] go'),
      { role: 'assistant', content: '', tool_calls: call ? [call] : [] },
      { role: 'tool', tool_call_id: 'x', tool_name: 'ask_user', content: 'answer: left' },
    ];
    const after = await collect(test, { model: 'echo', messages: answered });
    expect(textOf(after)).toBe('go\nanswer: left');
  });
  it('never opens a breaker: it does what it is told', async () => {
    const test = testGateway('http://127.0.0.1:1');
    for (let i = 0; i < 5; i++) await collect(test, ask('[[fail]]'));
    expect(textOf(await collect(test, ask('hi')))).toBe('hi');
  });
  it('a cancel ends a delay at once', async () => {
    const stop = new AbortController();
    const running = collect(testGateway('http://127.0.0.1:1'), {
      ...ask('[[delay=9000000]]'),
      signal: stop.signal,
    });
    stop.abort();
    expect(last(await running)).toMatchObject({ type: 'error', message: 'cancelled' });
  });
});
