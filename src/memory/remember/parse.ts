// Reads what an agent proposes to remember out of its answer: four forms, tried in this order. Pure, and bounded in
// time by the length of the text. Judges nothing: paths, layers and lengths are looked at by who takes the proposals.
import { fencedBlocks, jsonOf, objectsWith } from './json-blocks.ts';

/** `json`: a block labelled json. `fence`: another block. `scan`: an object in the prose. `lines`: paths in the prose. */
export type Form = 'json' | 'fence' | 'scan' | 'lines';

/** Where an agent says that its proposal can be seen. */
export type Claim = { path: string | null; from: number | null; to: number | null; quote: string };
export type Raw = {
  path: string;
  layer: string;
  rationale: string;
  note: string;
  claims: Claim[];
  /** What the agent itself says, 0 to 1. */
  confidence: number | null;
};

/** Characters that are looked at: ten full proposals need a tenth of it. */
const TEXT_LIMIT = 262_144;
/** Entries that are looked at, so that a list without end is none for whoever checks it. */
const MOST_ENTRIES = 200;
const MOST_CLAIMS = 20;
const CLAIM_LENGTH = 2_000;

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The first of these fields that is there. */
const field = (of: Fields, ...names: string[]): unknown =>
  names.map((name) => (Object.hasOwn(of, name) ? of[name] : undefined)).find((v) => v != null);
const textField = (of: Fields, ...names: string[]): string => {
  const value = field(of, ...names);
  return typeof value === 'string' ? value : '';
};
const lineNumber = (value: unknown): number | null => {
  const n = typeof value === 'string' ? Number.parseInt(value, 10) : value;
  return typeof n === 'number' && Number.isSafeInteger(n) && n > 0 ? n : null;
};

/** `12`, `12-18`, `L12–L18`. */
const RANGE = /^\s*L?(\d{1,7})(?:\s*(?:-|–|—|to)\s*L?(\d{1,7}))?\s*/i;

function rangeOf(value: unknown): { from: number | null; to: number | null; rest: string } {
  if (Array.isArray(value)) {
    const from = lineNumber(value[0]);
    return { from, to: lineNumber(value[1]) ?? from, rest: '' };
  }
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  const found = RANGE.exec(text);
  if (!found) return { from: null, to: null, rest: text };
  const from = lineNumber(found[1]);
  return { from, to: lineNumber(found[2]) ?? from, rest: text.slice(found[0].length) };
}

/** `docs/a.md:12-18: quoted`, `12-18: quoted`, or only a quote. */
function claimOfText(given: string): Claim {
  const text = given.slice(0, CLAIM_LENGTH);
  const colon = text.indexOf(':');
  const named = colon > 0 && rangeOf(text.slice(0, colon)).from === null;
  const head = text.slice(0, Math.max(0, colon));
  if (named && !/\s/.test(head.trim())) {
    const { from, to, rest } = rangeOf(text.slice(colon + 1));
    if (from !== null) return { path: head, from, to, quote: rest.replace(/^[:,\s]+/, '') };
  }
  const { from, to, rest } = rangeOf(text);
  // A sentence that begins with a number is a quote, not a line.
  if (from === null || !(rest === '' || rest.startsWith(':')))
    return { path: null, from: null, to: null, quote: text };
  return { path: null, from, to, quote: rest.slice(1).trim() };
}

function claimOf(value: unknown): Claim | null {
  if (typeof value === 'string') return claimOfText(value);
  if (!isObject(value)) return null;
  const { from, to } = rangeOf(field(value, 'lines', 'line', 'from', 'start'));
  const last = lineNumber(field(value, 'to', 'end'));
  const quote = textField(value, 'quote', 'text').slice(0, CLAIM_LENGTH);
  return { path: textField(value, 'path', 'file') || null, from, to: last ?? to, quote };
}

function rawOf(entry: unknown): Raw | null {
  if (typeof entry === 'string') return pathOnly(entry);
  if (!isObject(entry)) return null;
  const path = textField(entry, 'path', 'file');
  if (path === '') return null;
  const given = field(entry, 'evidence');
  const claims = (Array.isArray(given) ? given : given == null ? [] : [given])
    .slice(0, MOST_CLAIMS)
    .flatMap((value) => claimOf(value) ?? []);
  const sure = field(entry, 'confidence');
  return {
    path,
    layer: textField(entry, 'recommended_layer', 'layer'),
    rationale: textField(entry, 'rationale', 'reason'),
    note: textField(entry, 'suggested_memory_content', 'note', 'content'),
    claims,
    confidence: typeof sure === 'number' && sure >= 0 && sure <= 1 ? sure : null,
  };
}

const pathOnly = (path: string): Raw => ({
  ...{ path, layer: '', rationale: '', note: '', claims: [], confidence: null },
});

/** The list in a value of the agreed shape; undefined when the value has another one. */
function entriesOf(value: unknown): Raw[] | undefined {
  const list = isObject(value) ? field(value, 'recommendations') : value;
  if (!Array.isArray(list)) return undefined;
  const found = list.slice(0, MOST_ENTRIES).flatMap((entry) => rawOf(entry) ?? []);
  // A bare list counts only when it is about files.
  return isObject(value) || (list.length > 0 && found.length > 0) ? found : undefined;
}

function firstOf(texts: Iterable<string>): Raw[] | undefined {
  for (const text of texts) {
    const found = entriesOf(jsonOf(text));
    if (found) return found;
  }
  return undefined;
}

const ENDING = /\.(?:md|txt|py|tsx?|jsx?|json|yaml)$/i;

/** A word without the punctuation of its sentence. */
function withoutStop(word: string): string {
  let end = word.length;
  while (end > 0 && '.:!?。，、'.includes(word[end - 1] as string)) end -= 1;
  return word.slice(0, end);
}

/** Paths that the prose names. `asked`: the text of the task; an agent that only repeats it proposes nothing. */
function pathsInLines(text: string, asked: string): Raw[] {
  const repeated = new Set(asked.split('\n').map((line) => line.trim()));
  const found: Raw[] = [];
  for (const line of text.split('\n')) {
    if (repeated.has(line.trim())) continue;
    for (const [word] of line.matchAll(/[^\s`'"“”()<>[\]{},;|*]+/g)) {
      const path = withoutStop(word);
      if (!ENDING.test(path) || path.includes('://')) continue;
      found.push(pathOnly(path));
      if (found.length >= MOST_ENTRIES) return found;
    }
  }
  return found;
}

/** `asked`: the text of the task that was answered. */
export function parseProposals(answer: string, asked = ''): { form: Form; entries: Raw[] } {
  const text = answer.slice(0, TEXT_LIMIT);
  const blocks = fencedBlocks(text);
  const json = firstOf(blocks.filter((b) => b.label === 'json').flatMap((b) => b.texts));
  if (json) return { form: 'json', entries: json };
  const fence = firstOf(blocks.flatMap((b) => b.texts));
  if (fence) return { form: 'fence', entries: fence };
  const scan = firstOf(objectsWith(text, 'recommendations'));
  if (scan) return { form: 'scan', entries: scan };
  return { form: 'lines', entries: pathsInLines(text, asked) };
}
