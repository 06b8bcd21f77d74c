// Which model is asked, in which order, and what is said about it.
import { describe, expect, it } from 'vitest';
import type { Routing } from '../../src/models/route.ts';
import { collect, last, testGateway, textOf } from './support/gateway.ts';
import { type Says, scriptedProvider } from './support/scripted-provider.ts';

const NOWHERE = 'http://127.0.0.1:1';
type World = {
  far?: Record<string, Says | (() => Says)>;
  near?: Record<string, Says | (() => Says)>;
  routing?: Partial<Routing>;
};
function world({ far = {}, near = {}, routing = {} }: World) {
  let now = 0;
  const remote = scriptedProvider('far', 'remote', far);
  const local = scriptedProvider('near', 'local', near);
  const test = testGateway(NOWHERE, {
    clock: { now: () => new Date(0), mono: () => now },
    providers: [remote.provider, local.provider],
    routing: { chosen: { model: 'far:one', why: 'test' }, ...routing },
    settings: { local_first_token_timeout_s: 0.05, first_token_timeout_s: 0.05 },
  });
  const told = () => test.notes.map((n) => `${n.policy} ${n.action}`);
  return { test, remote, local, told, later: (ms: number) => (now += ms) };
}

describe('the list of models', () => {
  it('is walked in order: with one and two failing, three answers, and each failure is noted', async () => {
    const { test, remote, told } = world({
      far: { one: 401, two: 404, three: 'hello' },
      routing: { fallback: ['far:two', 'far:three', 'far:four'] },
    });
    const chunks = await collect(test);
    expect(textOf(chunks)).toBe('hello');
    expect(last(chunks)).toMatchObject({ type: 'end', model: 'far:three' });
    expect(remote.asked).toEqual(['one', 'two', 'three']);
    expect(told()).toEqual(['external_api_error fallback', 'external_api_error fallback']);
    expect(test.notes.map((n) => n.reason)).toEqual([
      'far:one answered 401; asking far:two instead',
      'far:two answered 404; asking far:three instead',
    ]);
  });

  it('ends in one error that says what was wrong with each', async () => {
    const { test, told } = world({
      far: { one: 401, two: 403 },
      near: { three: 404 },
      routing: { fallback: ['far:two', 'near:three'] },
    });
    expect(last(await collect(test))).toEqual({
      type: 'error',
      code: 'model_error',
      message:
        'none of the 3 models answered: (1) far:one answered 401; (2) far:two answered 403; (3) near:three answered 404',
    });
    expect(told().at(-1)).toBe('external_api_error stop');
  });

  it('is model_timeout when all of them were silent', async () => {
    const { test, remote } = world({
      far: { one: 'hang', two: 'hang' },
      routing: { fallback: ['far:two'] },
    });
    expect(last(await collect(test))).toMatchObject({ code: 'model_timeout' });
    // the policy of silence: each is asked once more
    expect(remote.asked).toEqual(['one', 'one', 'two', 'two']);
  });

  it('begins with the model that a role names, and has the list of that role', async () => {
    const { test, remote } = world({
      far: { own: 404, other: 404, third: 'yes' },
      routing: {
        fallback: ['far:never'],
        roles: new Map([
          ['coder', { fallback: ['far:other', 'default', 'far:third'], tier: null }],
        ]),
      },
    });
    expect(textOf(await collect(test, { model: 'far:own', role: 'coder' }))).toBe('yes');
    expect(remote.asked).toEqual(['own', 'other', 'one', 'third']);
  });

  it('never holds what nobody listed: a model that was named fails alone', async () => {
    const { test, remote } = world({
      far: { one: 'the default', own: 500 },
      routing: { roles: new Map([['coder', { fallback: [], tier: null }]]), fallback: ['far:one'] },
    });
    expect(last(await collect(test, { model: 'far:own', role: 'coder' }))).toMatchObject({
      message: 'far:own answered 500 (after 3 tries)',
    });
    expect(new Set(remote.asked)).toEqual(new Set(['own']));
  });

  it('goes on after a model whose key is missing', async () => {
    const { test } = world({
      far: { two: 'yes' },
      routing: { chosen: { model: 'openrouter:x', why: 'test' }, fallback: ['far:two'] },
    });
    expect(textOf(await collect(test))).toBe('yes');
    expect(test.notes[0]?.reason).toMatch(/OPENROUTER_API_KEY; asking far:two instead/);
  });

  it('begins an answer that was cut anew with the next model', async () => {
    const { test } = world({
      far: { one: 'cut', two: 'whole' },
      routing: { fallback: ['far:two'] },
    });
    const chunks = await collect(test);
    expect(chunks.map((c) => (c.type === 'text' ? c.text : c.type))).toEqual([
      ...['cut', 'restart', 'cut', 'restart', 'whole', 'end'],
    ]);
    // Who reads along is told which part is void.
    expect(test.published.join('')).toMatch(/^cut\n\[.*anew.*\]\ncut\n\[.*anew.*\]\nwhole$/);
  });

  it.each(['overflow', 'refused'])(
    'is not walked for %s: the request would be the same',
    async (said) => {
      const { test, remote } = world({
        far: { one: said, two: 'yes' },
        routing: { fallback: ['far:two'] },
      });
      const code = said === 'overflow' ? 'context_overflow' : 'model_refused';
      expect(last(await collect(test))).toMatchObject({ type: 'error', code });
      expect(remote.asked).toEqual(['one']);
    },
  );

  it('leaves out a model that has answered with nothing, and says when nobody is left', async () => {
    const { test, remote } = world({
      far: { one: 'x', two: 'y' },
      routing: { fallback: ['far:two'] },
    });
    expect(textOf(await collect(test, { after: 'far:one' }))).toBe('y');
    expect(remote.asked).toEqual(['two']);
    expect(last(await collect(test, { after: 'far:two' }))).toMatchObject({
      code: 'empty_answer',
      message: expect.stringContaining('no other model is listed'),
    });
  });

  it('may end in the offline rules, and echo that was told to fail is left for the next', async () => {
    const { test } = world({
      routing: { chosen: { model: 'echo', why: 'test' }, fallback: ['far:two'] },
      far: { two: 'yes' },
    });
    const messages = [{ role: 'user', content: '[[fail]]' } as const];
    expect(textOf(await collect(test, { messages }))).toBe('yes');
    const rules = world({ far: { one: 404 }, routing: { fallback: ['offline'] } });
    expect(last(await collect(rules.test))).toMatchObject({ type: 'end', model: 'offline' });
  });
});

describe('a model that is paused', () => {
  async function paused(near: Says) {
    const w = world({
      far: { one: 403, two: 403 },
      near: { last: near },
      routing: { fallback: ['far:two', 'near:last'] },
    });
    return w;
  }
  it('is passed over at once, also by other agents, and is asked again when its time is over', async () => {
    const { test, remote, later } = await paused('here');
    for (let i = 0; i < 3; i++) await collect(test);
    expect(remote.asked).toHaveLength(6);
    expect(textOf(await collect(test, { role: 'coder' }))).toBe('here');
    expect(remote.asked).toHaveLength(6);
    expect(test.notes.at(-2)?.reason).toMatch(/far:one is paused after 3 failures.*asking far:two/);
    later(300_000);
    await collect(test);
    expect(remote.asked).toHaveLength(8);
    expect(test.gateway.status().models).toMatchObject([
      { model: 'far:one', provider: 'far', priority: 1, state: 'open', failures: 4 },
      { model: 'far:two', provider: 'far', priority: 2, state: 'open', failures: 4 },
      { model: 'near:last', provider: 'near', priority: 3, state: 'closed', failures: 0 },
    ]);
  });

  it('is the last resort when it is local and all before it are paused: asked without a deadline', async () => {
    let says: Says = 404;
    let answered: (() => void) | null = null;
    const remote = scriptedProvider('far', 'remote', { one: 403 });
    const slow = scriptedProvider('near', 'local', { last: () => says });
    const { stream } = slow.provider;
    slow.provider.stream = async function* (ask, signal) {
      if (says === 'slow') await new Promise<void>((resolve) => (answered = resolve));
      yield* stream(ask, signal);
    };
    const test = testGateway(NOWHERE, {
      providers: [remote.provider, slow.provider],
      routing: { chosen: { model: 'far:one', why: 'test' }, fallback: ['near:last'] },
      settings: { local_first_token_timeout_s: 0.05, local_total_timeout_s: 0.05 },
    });
    for (let i = 0; i < 3; i++) await collect(test);
    expect(test.gateway.breakers().map((b) => b.state)).toEqual(['open', 'open']);
    says = 'slow';
    const call = collect(test);
    // Well beyond the deadline of a local model it is still waited for.
    const begun = performance.now();
    const tick = setInterval(() => performance.now() - begun > 400 && answered?.(), 20);
    expect(textOf(await call)).toBe('slow');
    clearInterval(tick);
    expect(test.gateway.breakers()).toMatchObject([{ model: 'far:one' }]);
  });

  it('without a local one it is a clear error', async () => {
    const { test, remote } = world({
      far: { one: 403, two: 403 },
      routing: { fallback: ['far:two'] },
    });
    for (let i = 0; i < 3; i++) await collect(test);
    expect(last(await collect(test))).toMatchObject({
      message: expect.stringMatching(
        /^none of the 2 models answered: \(1\) far:one is paused .*\(2\) far:two is paused/,
      ),
    });
    expect(remote.asked).toHaveLength(6);
  });
});

describe('cheap and strong', () => {
  const routing: Partial<Routing> = {
    cheap: 'far:small',
    strong: null,
    roles: new Map([
      ['researcher', { fallback: null, tier: 'cheap' }],
      ['architect', { fallback: null, tier: 'strong' }],
    ]),
  };
  const far = { one: 'default', small: 'small', own: 'own' };
  it.each([
    ['researcher', 'default', 'small', 'tier cheap'],
    ['architect', 'default', 'default', 'test'],
    ['coder', 'default', 'default', 'test'],
    ['researcher', 'far:own', 'own', 'named for this agent'],
  ])('%s with the model %s is answered by %s', async (role, model, answer, why) => {
    const { test } = world({ far, routing });
    expect(textOf(await collect(test, { role, model }))).toBe(answer);
    expect(test.gateway.route(model, role).why).toBe(why);
  });
});
