import { describe, expect, it } from 'vitest';
import { createHide } from '../../src/models/hide-keys.ts';
import { collect, last, testGateway, textOf } from './support/gateway.ts';
import { json, type Script, type Seen, upstream } from './support/upstream.ts';
import { inPieces } from './wire/bytes.ts';
import { FORMS } from './wire/forms.ts';

const KEYS = ['sk-canary-aaaa1111', 'canary_bbbb2222', 'sk-canary-cccc3333'];
const fine = inPieces((FORMS[0] as (typeof FORMS)[number]).body(['fine'], []));
const used = (seen: Seen[]) =>
  seen.map((s) => KEYS.indexOf(String(s.headers.authorization).slice(7)));

async function pool(...scripts: Script[]) {
  let now = 0;
  const up = await upstream(...scripts);
  const openai = { api_key: KEYS[0] ?? '', api_keys: KEYS.slice(1), base_url: `${up.url}/v1` };
  const clock = { now: () => new Date(0), mono: () => now };
  const test = testGateway(up.url, { settings: { openai }, clock });
  return { up, test, later: (ms: number) => (now += ms) };
}
const echo429 = (seconds: string): Script =>
  json(429, { error: { message: `slow: ${KEYS.join(' ')}` } }, { 'retry-after': seconds });

describe('several keys of one provider', () => {
  it('are taken in turn', async () => {
    const { up, test } = await pool(fine);
    for (let i = 0; i < 5; i++) await collect(test);
    expect(used(up.seen)).toEqual([0, 1, 2, 0, 1]);
  });

  it('429 rests that key for the time it names and takes the next at once', async () => {
    const { up, test, later } = await pool(echo429('40'), fine);
    const begun = performance.now();
    expect(textOf(await collect(test))).toBe('fine');
    expect(performance.now() - begun).toBeLessThan(5_000);
    for (let i = 0; i < 3; i++) await collect(test);
    expect(used(up.seen)).toEqual([0, 1, 2, 1, 2]);
    expect(test.gateway.status().keys).toEqual([
      { provider: 'openai', keys: 3, resting: 1, refused: 0 },
      expect.anything(),
    ]);
    later(41_000);
    for (let i = 0; i < 3; i++) await collect(test);
    expect(used(up.seen).slice(5)).toContain(0);
    expect(test.notes).toMatchObject([
      { action: 'retry', reason: expect.stringContaining('using another key') },
    ]);
    expect(test.gateway.breakers()).toEqual([]);
  });

  it('401 rests that key until the next start', async () => {
    const { up, test, later } = await pool(json(401, { error: { message: 'no such key' } }), fine);
    expect(textOf(await collect(test))).toBe('fine');
    later(10 * 86_400_000);
    for (let i = 0; i < 3; i++) await collect(test);
    expect(used(up.seen)).toEqual([0, 1, 2, 1, 2]);
  });

  it('with all of them refused nobody is asked any more', async () => {
    const { up, test } = await pool(json(401, { error: { message: 'no' } }));
    await collect(test);
    expect(used(up.seen)).toEqual([0, 1, 2]);
    expect(last(await collect(test))).toMatchObject({
      message: 'all 3 keys of openai were refused',
    });
    expect(up.seen).toHaveLength(3);
  });

  it('with all of them resting longer than anybody waits the error says how long', async () => {
    const { up, test } = await pool(echo429('600'));
    await collect(test);
    expect(up.seen).toHaveLength(3);
    expect(last(await collect(test))).toMatchObject({
      message: 'all 3 keys of openai rest; the next is free in 600 s',
    });
  });

  it('are nowhere to be seen', async () => {
    const { test } = await pool(echo429('600'));
    const chunks = [...(await collect(test)), ...(await collect(test))];
    const all = JSON.stringify([
      chunks,
      test.logged,
      test.notes,
      test.tries,
      test.gateway.status(),
    ]);
    expect(all).toContain('[key]');
    for (const key of KEYS) expect(all).not.toContain(key);
  });
});

describe('a key in the words of a provider', () => {
  const hide = createHide(['pass/word"1', 'plainkey12']);
  it.each([
    ['bad key pass/word"1 given', 'bad key [key] given'],
    ['{"key":"pass/word\\"1"}', '{"key":"[key]"}'],
    ['?key=pass%2Fword%221&x', '?key=[key]&x'],
    ['Bearer abcdef', 'Bearer [key]'],
    ['sk-proj-****…abcd', '[key]'],
    ['http://me:secret@host/v1', 'http://host/v1'],
    ['plainkey12plainkey12', '[key][key]'],
  ])('%s', (text, shown) => {
    expect(hide(text)).toBe(shown);
  });
});
