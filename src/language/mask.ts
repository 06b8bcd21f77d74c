// Hides what must not be read as words of the request: code, quotes, URLs, paths, SQL, fixed idioms.
// Every hidden character becomes one MASK, so that positions stay those of the text. Linear in the text.
import { IDIOMS } from './idioms.ts';

/** A private-use character: no rule of any language matches it. */
export const MASK = '\uE000';

/** Opening mark → closing mark. A quote ends in its line; an apostrophe inside a word opens and closes none. */
const QUOTES: Readonly<Record<string, string>> = {
  '`': '`',
  '"': '"',
  '“': '”',
  '‘': '’',
  '「': '」',
  '『': '』',
  '《': '》',
  "'": "'",
};
const IN_WORD = /[\p{L}\p{N}]/u;

/** Where the quote that opens at `at` ends (exclusive), or -1. */
function quoteEnd(line: string, at: number, close: string): number {
  if (close !== "'") {
    const end = line.indexOf(close, at + 1);
    return end < 0 ? -1 : end + 1;
  }
  if (at > 0 && IN_WORD.test(line[at - 1] ?? '')) return -1;
  const end = line.indexOf(close, at + 1);
  return end < 0 || IN_WORD.test(line[end + 1] ?? '') ? -1 : end + 1;
}

function maskQuotes(line: string): string {
  let masked = '';
  let from = 0;
  // A mark that has no end from here on has none further on: each is looked for in vain only once.
  const endless = new Set<string>();
  for (let at = 0; at < line.length; at++) {
    const open = line[at] ?? '';
    const close = QUOTES[open];
    if (close === undefined || endless.has(open)) continue;
    const end = quoteEnd(line, at, close);
    if (end < 0) {
      if (line.indexOf(close, at + 1) < 0) endless.add(open);
      continue;
    }
    masked += line.slice(from, at) + MASK.repeat(end - at);
    from = end;
    at = end - 1;
  }
  return masked + line.slice(from);
}

function maskFences(text: string): string {
  let masked = '';
  let from = 0;
  for (let at = text.indexOf('```'); at >= 0; at = text.indexOf('```', from)) {
    const close = text.indexOf('```', at + 3);
    const end = close < 0 ? text.length : close + 3;
    masked += text.slice(from, at) + MASK.repeat(end - at);
    from = end;
  }
  return masked + text.slice(from);
}

// Each pattern starts at most once in a run of characters it can take, so none is tried again and again.
const HIDDEN: readonly RegExp[] = [
  /^ {0,3}>.*$/gm,
  /\bhttps?:\/\/[^\s<>"'，。、]+/gi,
  /\bselect\s+(?!(?:the|an?|all|some|your|my|one|any)\s)[^.;\n]{1,300}?\bfrom\s+\w[^.;\n]*/gi,
  /\b(?:insert\s+into|delete\s+from)\s+\w[^.;\n]*|\bupdate\s+\w+\s+set\s+\w+\s*=[^.;\n]*/gi,
  /(?<![\w/.~@-])(?:~|\.{1,2})?(?:\/[\w.@-]+)+\/?/g,
  /(?<![\w/@-])[\w@-]+(?:\/[\w.@-]+)+\/?/g,
  /(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}(?!\w)/g,
  IDIOMS,
];

export function maskText(text: string): string {
  let masked = maskFences(text).split('\n').map(maskQuotes).join('\n');
  for (const pattern of HIDDEN)
    masked = masked.replace(pattern, (found) => MASK.repeat(found.length));
  return masked;
}
