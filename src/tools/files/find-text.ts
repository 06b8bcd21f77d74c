// Finds the text that an edit names, and says what is nearest when it is not there. Pure.

export type Match =
  | { kind: 'found'; old: string; fresh: string; at: number[] }
  | { kind: 'missing'; hint: string };

function positions(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length))
    found.push(at);
  return found;
}

export const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** Share of common letter pairs, 0 to 1. */
function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const pairs = new Map<string, number>();
  for (let i = 0; i < a.length - 1; i += 1) {
    const pair = a.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let i = 0; i < b.length - 1; i += 1) {
    const pair = b.slice(i, i + 2);
    const left = pairs.get(pair) ?? 0;
    if (left > 0) {
      common += 1;
      pairs.set(pair, left - 1);
    }
  }
  return a.length + b.length > 2 ? (2 * common) / (a.length + b.length - 2) : 0;
}

function nearest(text: string, old: string): string {
  const wanted =
    old
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? '';
  const short = (line: string): string => line.slice(0, 300);
  const ranked = text
    .split('\n')
    .slice(0, 50_000)
    .map((line, i) => ({ line, number: i + 1, score: likeness(short(wanted), short(line.trim())) }))
    .filter(({ score }) => score > 0.4)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .sort((a, b) => a.number - b.number);
  if (ranked.length === 0) return 'No line of the file is like its first line.';
  const shown = ranked.map(({ line, number }) => `${String(number).padStart(6)}\t${short(line)}`);
  return `The nearest lines of the file are:\n${shown.join('\n')}`;
}

function hintFor(text: string, old: string): string {
  const bare = old.replace(/^ *\d+\t/gm, '');
  if (bare !== old && text.includes(bare))
    return 'It is there without the line numbers that read puts before every line: leave them out.';
  const flat = (s: string): string => s.replace(/\s+/g, ' ').trim();
  if (flat(old) !== '' && flat(text).includes(flat(old)))
    return `It is there with other white space (spaces, tabs or line ends). ${nearest(text, old)}`;
  return nearest(text, old);
}

/** Line ends of `old` and `fresh` follow those of the file when only they differ. */
export function findText(text: string, old: string, fresh: string): Match {
  const at = positions(text, old);
  if (at.length > 0) return { kind: 'found', old, fresh, at };
  if (text.includes('\r\n') && !old.includes('\r')) {
    const crlf = (s: string): string => s.replace(/\r?\n/g, '\r\n');
    const there = positions(text, crlf(old));
    if (there.length > 0) return { kind: 'found', old: crlf(old), fresh: crlf(fresh), at: there };
  }
  return { kind: 'missing', hint: hintFor(text, old) };
}
