import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cleanJson, cleanLine, cleanText, cut, displayWidth } from '../../src/cli/clean.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: that nothing of this is left is the point
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f]/;

it.each([
  ['colour', '\x1b[31mred\x1b[0m', 'red'],
  ['clipboard write', '\x1b]52;c;ZXZpbA==\x07x', 'x'],
  ['link', '\x1b]8;;http://evil\x07link\x1b]8;;\x07', 'link'],
  ['window title', 'a\x1b]0;title\x1b\\b', 'ab'],
  ['device control string', '\x1bP$q"p\x1b\\x', 'x'],
  ['application command', '\x1b_payload\x1b\\x', 'x'],
  ['one-byte CSI', '\x9b31mred', 'red'],
  ['overwriting', 'safe\rEVIL', 'safe\nEVIL'],
  ['backspaces', 'abc\b\b\bXYZ', 'abcXYZ'],
  ['bell and NUL', 'a\x07b\0c', 'abc'],
  ['reversed text', 'a\u202eevil\u202c', 'aevil'],
  ['invisible text', 'a\u{e0041}\u200bb\ufeff', 'ab'],
  ['half a character', 'a\ud83dz', 'az'],
  ['line separators', 'a\u2028b', 'a\nb'],
])('takes out of a text: %s', (_, hostile, clean) => {
  expect(cleanText(hostile)).toBe(clean);
});

it('leaves no character that a terminal would obey, whatever the text', () => {
  const nasty = fc.string({
    unit: fc.constantFrom(...'\x1b\x9b]P_\\[;m0aZ\r\n\b\x07\x9c\u202e한'),
  });
  fc.assert(
    fc.property(nasty, (text) => {
      expect(cleanText(text)).not.toMatch(UNSAFE);
    }),
  );
});

it('keeps a line a line, and Korean, Chinese and emoji as they are', () => {
  expect(cleanLine('a\n\n  b\tc')).toBe('a b c');
  expect(cleanLine('할 일 API를 만들어 주세요 🎉 写一个')).toBe(
    '할 일 API를 만들어 주세요 🎉 写一个',
  );
});

it('writes JSON that means the same and holds nothing a terminal obeys', () => {
  const value = { text: 'a\x9b31m\x1b[0m\u202e\u{e0041}한\x7f' };
  const line = cleanJson(value);
  expect(JSON.parse(line)).toEqual(value);
  expect(line).not.toMatch(UNSAFE);
  expect(line).toContain('한');
});

it('counts a Korean or Chinese character as two columns and cuts by columns', () => {
  expect(displayWidth('abc')).toBe(3);
  expect(displayWidth('할일')).toBe(4);
  expect(cut('할일목록', 5)).toBe('할일…');
  expect(cut('short', 5)).toBe('short');
});
