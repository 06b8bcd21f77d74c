import { expect, it } from 'vitest';
import { LAYERS, layerOf, scopeOf, unknownLayer } from '../../src/domain/memory.ts';
import { visibleText } from '../../src/domain/visible-text.ts';

it.each([
  ['user/profile', 'user/profile'],
  ['user', 'user/profile'],
  ['profile', 'user/profile'],
  ['user_preferences', 'user/profile'],
  ['User_Profile', 'user/profile'],
  ['user\\profile', 'user/profile'],
  ['project', 'project/context'],
  ['context', 'project/context'],
  [' project_context ', 'project/context'],
  ['project\\context', 'project/context'],
  ['domain', 'domain/knowledge'],
  ['knowledge', 'domain/knowledge'],
  ['domain knowledge', 'domain/knowledge'],
])('the layer %j is %s', (name, layer) => {
  expect(layerOf(name)).toBe(layer);
});

it.each(['', 'users', 'user/profile/x', 'toString', '__proto__', 'global'])(
  '%j is no layer, and the error lists those that are',
  (name) => {
    expect(layerOf(name)).toBeNull();
    for (const layer of LAYERS) expect(unknownLayer(name)).toContain(layer);
  },
);

it('only project records have a scope of their own, whatever the project is called', () => {
  expect(scopeOf('user/profile', 'shop')).toBe('global');
  expect(scopeOf('domain/knowledge', 'shop')).toBe('global');
  expect(scopeOf('project/context', 'shop')).toBe('shop');
  expect(scopeOf('project/context', 'global')).not.toBe('global');
});

it.each([
  ['direction marks', 'pay\u202e to\u2066 me\u200f', 'pay to me'],
  ['invisible spaces', 'ad\u200bmin\ufeff', 'admin'],
  ['tags that spell an instruction', 'x\u{e0069}\u{e0067}y', 'xy'],
  ['control characters', 'a\u0000\u0007b\u009bc', 'abc'],
  ['Korean fillers', '\u3164가\uffa0', '가'],
  ['joiners in Latin text', 'ad\u200cmin', 'admin'],
  ['bits in variation selectors', '❤\ufe0f\ufe0e\ufe01\u{e0101}', '❤\ufe0f'],
])('text is stored without %s', (_, given, kept) => {
  expect(visibleText(given)).toBe(kept);
});

it('what people can see stays: emoji, joined scripts, accents, lines, tabs', () => {
  for (const text of ['👨‍👩‍👧 1️⃣', 'می‌خواهم', 'é à', 'a\n\tb', '서버 腾讯云 サーバー'])
    expect(visibleText(text)).toBe(text);
});
