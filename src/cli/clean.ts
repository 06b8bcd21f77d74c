// Makes text from servers, models and tools harmless for a terminal. Nothing reaches stdout without it.
// Pure: no stream, no colour.
import { stripVTControlCharacters } from 'node:util';

// String sequences (DCS, SOS, OSC, PM, APC) with their payload; stripVTControlCharacters leaves some of them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const STRINGS = /(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[\s\S]{0,4096}?(?:\x07|\x1b\\|\x9c)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Direction marks, invisible spaces, tags, lone surrogates: they make text look like other text. */
const HIDDEN =
  /[\ud800-\udfff\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** Keeps line breaks and tabs. A lone carriage return becomes a line break: it must not overwrite. */
export const cleanText = (text: string): string =>
  stripVTControlCharacters(text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(STRINGS, ''))
    .replace(CONTROL, '')
    .replace(HIDDEN, '');

/** One line: every run of white space that holds a line break or tab is one space. */
export const cleanLine = (text: string): string =>
  cleanText(text)
    .replace(/\s*[\n\t]\s*/g, ' ')
    .trimEnd();

const NOT_PLAIN =
  /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
const escaped = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');

/** JSON on one line; what JSON itself leaves unescaped and a terminal would obey is escaped: same value. */
export const cleanJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replace(NOT_PLAIN, escaped);

const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
const ZERO = /[\p{M}\u200c\u200d]/u;
const widthOf = (char: string): number => (ZERO.test(char) ? 0 : WIDE.test(char) ? 2 : 1);

/** Columns that the text takes in a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const char of text) width += widthOf(char);
  return width;
}

/** At most `columns` wide, with "…" where something was cut. */
export function cut(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const char of text) {
    width += widthOf(char);
    if (width > columns - 1) break;
    kept += char;
  }
  return `${kept}…`;
}

export const pad = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
