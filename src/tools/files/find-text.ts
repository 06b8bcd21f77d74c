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

const MOST_SHOWN = 20;
/** Lines of what an edit names that are compared: enough to know the place. */
const MOST_COMPARED = 200;
const short = (line: string): string => line.slice(0, 300);
const row = (line: string, number: number): string =>
  `${String(number).padStart(6)}\t${short(line).replace(/\r$/, '')}`;

/** `count` lines from `first` on (from 1), numbered as read numbers them. */
const block = (lines: readonly string[], first: number, count: number): string =>
  lines
    .slice(first - 1, first - 1 + Math.min(count, MOST_SHOWN))
    .map((line, i) => row(line, first + i))
    .join('\n');

type Ranked = { line: string; number: number; score: number };

/** Lines of the text that are like the wanted one, the most alike first. */
const alike = (lines: readonly string[], wanted: string): Ranked[] =>
  lines
    .slice(0, 50_000)
    .map((line, i) => ({ line, number: i + 1, score: likeness(short(wanted), short(line.trim())) }))
    .filter(({ score }) => score > 0.4)
    .sort((a, b) => b.score - a.score);

const NOTHING_LIKE_IT = 'No line of the file is like it: read the file again.';

/** The piece of the file that several lines most likely mean: found by the longest of them, judged by all. */
function nearestBlock(lines: readonly string[], wanted: readonly string[]): string {
  const anchor = wanted.reduce((best, line, i) => {
    return line.trim().length > (wanted[best] ?? '').trim().length ? i : best;
  }, 0);
  const score = (first: number): number =>
    wanted.reduce(
      (sum, line, i) =>
        sum + likeness(short(line.trim()), short((lines[first - 1 + i] ?? '').trim())),
      0,
    );
  const [best] = alike(lines, (wanted[anchor] ?? '').trim())
    .slice(0, 20)
    .map(({ number }) => Math.max(1, number - anchor))
    .map((first) => ({ first, score: score(first) }))
    .sort((a, b) => b.score - a.score);
  if (!best) return NOTHING_LIKE_IT;
  // Of a long piece what is not as it was named counts, not its equal beginning.
  const differs = wanted.findIndex((line, i) => lines[best.first - 1 + i] !== line);
  const from = Math.max(0, differs - 3);
  return `The nearest lines of the file are:\n${block(lines, best.first + from, wanted.length - from)}`;
}

function nearest(text: string, old: string): string {
  const lines = text.split('\n');
  const wanted = old
    .replace(/^\s*\n/, '')
    .trimEnd()
    .split('\n')
    .slice(0, MOST_COMPARED);
  if (wanted.length > 1) return nearestBlock(lines, wanted);
  const ranked = alike(lines, (wanted[0] ?? '').trim())
    .slice(0, 3)
    .sort((a, b) => a.number - b.number);
  if (ranked.length === 0) return NOTHING_LIKE_IT;
  return `The nearest lines of the file are:\n${ranked.map(({ line, number }) => row(line, number)).join('\n')}`;
}

const flat = (s: string): string => s.trim().replace(/\s+/g, ' ');

/** The lines that hold the same words with other white space between them, or null. */
function otherSpaces(text: string, old: string): string | null {
  const wanted = flat(old);
  const lines = text.split('\n');
  const full = lines
    .map((line, i) => ({ words: flat(line), number: i + 1 }))
    .filter((l) => l.words);
  const at =
    wanted === ''
      ? -1
      : full
          .map(({ words }) => words)
          .join(' ')
          .indexOf(wanted);
  if (at < 0) return null;
  let [from, first, last] = [0, 0, 0];
  for (const { words, number } of full) {
    if (from <= at) first = number;
    if (from < at + wanted.length) last = number;
    from += words.length + 1;
  }
  return block(lines, first, last - first + 1);
}

function hintFor(text: string, old: string): string {
  const bare = old.replace(/^ *\d+\t/gm, '');
  if (bare !== old && text.includes(bare))
    return 'It is there without the line numbers that read puts before every line: leave them out.';
  const spaced = otherSpaces(text, old);
  if (spaced !== null)
    return `It is there with other white space (spaces, tabs or line ends):\n${spaced}`;
  return nearest(text, old);
}

const withCrlf = (s: string): string => s.replace(/\r?\n/g, '\r\n');

/** Line ends of `old` and `fresh` follow those of the file: in one that has none but CRLF, no other comes in. */
export function findText(text: string, old: string, fresh: string): Match {
  const crlf = text.includes('\r\n');
  const mixed = crlf && /(^|[^\r])\n/.test(text);
  const asGiven = { old, fresh };
  const asThere = { old: withCrlf(old), fresh: withCrlf(fresh) };
  const ways = !crlf ? [asGiven] : mixed ? [asGiven, asThere] : [asThere, asGiven];
  for (const way of ways) {
    const at = positions(text, way.old);
    if (at.length > 0) return { kind: 'found', ...way, at };
  }
  return { kind: 'missing', hint: hintFor(text, old) };
}
