// The gate: has a request at least two parts that do not need each other? Pure, linear in the text. Precision comes
// first: whatever is in doubt stays one piece of work.
import { foldText } from '../../language/fold.ts';
import { maskText } from '../../language/mask.ts';
import { fragmentsOf, type Joint } from './fragments.ts';
import { judgeList, type List, listIn } from './list.ts';
import { hideMaterial } from './material.ts';
import { type Asked, relationOf } from './relations.ts';
import { type Kept, type Unit, unitsOf } from './units.ts';
import type { GateReason, GateVerdict } from './verdict.ts';

// Nobody asks for so much in one message; it bounds the time that any text can take.
const MOST_FRAGMENTS = 10_000;
const MOST_ITEMS = 1_000;

const EDGE = /[\s,;:，；、。.]/;

function cut(text: string, start: number, end: number): string {
  let [from, to] = [start, end];
  while (from < to && EDGE.test(text[from] ?? '')) from++;
  while (to > from && EDGE.test(text[to - 1] ?? '')) to--;
  return text.slice(from, to);
}

const closed = (reason: GateReason, mode: GateVerdict['mode'] = 'single'): GateVerdict => ({
  open: false,
  mode,
  reason,
  parts: [],
  steps: [],
  context: [],
});

function ofList(text: string, read: string, list: List): GateVerdict {
  if (list.items.length > MOST_ITEMS) return closed('too_long');
  const { reason, mode, lead } = judgeList(read, list);
  const before = cut(text, 0, list.lead);
  const words = list.items.map(({ start, end }) => cut(text, start, end));
  const items = lead ? words.map((item) => `${before}: ${item}`) : words;
  if (mode === 'sequential') return { ...closed(reason, mode), steps: items };
  if (mode !== 'parallel') return closed(reason, mode);
  const context = [lead ? '' : before, cut(text, list.rest, text.length)].filter((c) => c !== '');
  return { open: true, mode, reason, parts: items, steps: [], context };
}

/** The joint itself says that there are two pieces of work; a full stop alone does not. */
const tells = (joint: Joint, { clause, tentative }: Unit): boolean =>
  !tentative && (joint.word || joint.loose || joint.chain || joint.semicolon || clause.also);

/** Lines without marks are a list only when nothing in them describes a thing that an earlier one makes. */
const areLines = (units: readonly Unit[], requests: readonly Unit[]): boolean =>
  requests.slice(1).every(({ joint }) => joint.line) &&
  !units.some(({ clause }) => clause.kind === 'limit') &&
  !(requests[0]?.clause.does.has('create') && requests[0].clause.introduces.length > 0);

const WHY_ONE: readonly Kept[] = [
  'condition',
  'inner_clause',
  'limit',
  'nouns',
  'too_short',
  'no_request',
  'question',
];

function whySingle(units: readonly Unit[], requests: number, kept: ReadonlySet<Kept>): GateReason {
  if (units.length === 1 && units[0]?.clause.kind === 'question') return 'question';
  const why = WHY_ONE.find((reason) => kept.has(reason));
  return why ?? (requests === 1 ? 'single_request' : 'no_request');
}

const weakly = ({ joint, clause }: Unit): boolean =>
  !clause.also && !joint.line && !joint.sentence && !joint.semicolon;

function ofUnits(text: string, read: string): GateVerdict {
  const fragments = fragmentsOf(read, MOST_FRAGMENTS);
  if (fragments.length > MOST_FRAGMENTS) return closed('too_long');
  const { units, kept } = unitsOf(read, fragments);
  const requests = units.filter(({ clause }) => clause.kind === 'request' && !clause.short);
  if (requests.length < 2) {
    if (requests.length === 1 && requests[0]?.clause.ordered && kept.size > 0)
      return closed('sequential', 'single');
    return closed(whySingle(units, requests.length, kept));
  }
  const asked: Asked[] = requests.map((unit) => ({ clause: unit.clause, weak: weakly(unit) }));
  const texts = requests.map(({ start, end, clause }) => cut(text, start + clause.lead, end));
  const then = requests.some(({ joint }, i) => i > 0 && joint.order);
  const relation = then ? 'sequential' : relationOf(asked);
  if (relation === 'sequential') return { ...closed(relation, relation), steps: texts };
  // A sentence that leans on the parts without asking for work of its own.
  const leaning = units.some(
    ({ clause }) => clause.kind === 'request' && clause.short && clause.leans,
  );
  if (relation === 'dependent' || leaning) return closed('dependent', 'dependent');
  const joined = requests.slice(1).some((unit) => tells(unit.joint, unit));
  const lines = !joined && areLines(units, requests);
  if (!joined && !lines) return closed('no_conjunction');
  const asks = new Set(requests);
  const context = units
    .filter((unit) => !asks.has(unit))
    .map(({ start, end }) => cut(text, start, end))
    .filter((part) => part !== '');
  const reason = lines ? 'lines' : 'conjunction';
  return { open: true, mode: 'parallel', reason, parts: texts, steps: [], context };
}

/** `input`: what a person asked for. The verdict depends on nothing else. */
export function readGate(input: string): GateVerdict {
  const text = input.normalize('NFC').replace(/\r\n?/g, '\n').trim();
  if (text === '') return closed('empty');
  const read = hideMaterial(foldText(maskText(text)));
  const list = listIn(read);
  return list ? ofList(text, read, list) : ofUnits(text, read);
}
