// Finds JSON in the answer of a model: in fences, or an object somewhere in the prose. Pure. The work is bounded by
// the length of the text, whatever is in it: the number of places that are tried is limited.

const MOST_FENCES = 64;
const FENCE = '```';
/** Occurrences of the key, and opening braces before each, from which an object is tried. */
const MOST_KEYS = 4;
const MOST_BRACES = 6;

type Fence = { at: number; after: number; begins_line: boolean };

function fencesOf(text: string): Fence[] {
  const fences: Fence[] = [];
  let at = text.indexOf(FENCE);
  while (at >= 0 && fences.length < MOST_FENCES) {
    let after = at + FENCE.length;
    while (text[after] === '`') after += 1;
    const before = text.slice(Math.max(0, at - 16), at);
    const line = before.slice(before.lastIndexOf('\n') + 1);
    const whole = line.length < before.length || before.length === at;
    const begins_line = whole && line.trim() === '';
    fences.push({ at, after, begins_line });
    at = text.indexOf(FENCE, after);
  }
  return fences;
}

export type Block = {
  /** The word behind the opening fence, in lower case. */
  label: string;
  /** What may be its content: up to the next fence on a line of its own, and up to the next fence at all. */
  texts: string[];
};

/** Fenced blocks in order; one that is never closed goes to the end of the text. */
export function fencedBlocks(text: string): Block[] {
  const fences = fencesOf(text);
  const blocks: Block[] = [];
  for (let i = 0; i < fences.length; ) {
    const open = fences[i] as Fence;
    const label = /^[\w+-]{0,20}/.exec(text.slice(open.after, open.after + 20))?.[0] ?? '';
    const from = open.after + label.length;
    const rest = fences.slice(i + 1);
    const own = rest.findIndex((fence) => fence.begins_line);
    const ends = [own < 0 ? rest.length - 1 : own, 0].map((n) => rest[n]?.at ?? text.length);
    const texts = [...new Set(ends)].map((end) => text.slice(from, end));
    blocks.push({ label: label.toLowerCase(), texts });
    i += (own < 0 ? Math.max(0, rest.length - 1) : own) + 2;
  }
  return blocks;
}

/** Where the object that begins at `from` ends (exclusive), or -1. Braces in strings do not count. */
function objectEnd(text: string, from: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = from; i < text.length; i += 1) {
    const c = text[i];
    if (quoted) {
      if (c === '\\') i += 1;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === '{') depth += 1;
    else if (c === '}') {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}

/** Texts of balanced objects that hold `"key"`, the innermost first. */
export function* objectsWith(text: string, key: string): Generator<string> {
  const word = `"${key}"`;
  let at = text.indexOf(word);
  for (let n = 0; at >= 0 && n < MOST_KEYS; n += 1) {
    let brace = text.lastIndexOf('{', at);
    for (let tries = 0; brace >= 0 && tries < MOST_BRACES; tries += 1) {
      const end = objectEnd(text, brace);
      if (end > at) yield text.slice(brace, end);
      brace = brace === 0 ? -1 : text.lastIndexOf('{', brace - 1);
    }
    at = text.indexOf(word, at + word.length);
  }
}

/** The value, or undefined when it is no JSON. */
export function jsonOf(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return undefined;
  try {
    return JSON.parse(trimmed);
  } catch {
    return undefined;
  }
}
