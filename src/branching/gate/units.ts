// Puts fragments together to units: each one request, or something that is none. In doubt two fragments are one unit,
// for a wrong split costs more than a missed one.
import { type Clause, readClause } from '../../language/clause/index.ts';
import { type Fragment, isBoundary, type Joint } from './fragments.ts';

/** Why two fragments are one unit. */
export type Kept =
  | 'no_request'
  | 'nouns'
  | 'inner_clause'
  | 'too_short'
  | 'limit'
  | 'condition'
  | 'question';

export type Unit = {
  start: number;
  end: number;
  clause: Clause;
  joint: Joint;
  /** Joined only by a comma: a part if other parts of its sentence are. */
  tentative: boolean;
};
export type Units = { units: Unit[]; kept: Set<Kept> };

const rank: Record<Clause['hosts'], number> = { no: 0, loose: 1, firm: 2 };
const harder = (a: Clause['hosts'], b: Clause['hosts']): Clause['hosts'] =>
  rank[a] >= rank[b] ? a : b;

/** Null: the right side is a request of its own. */
function whyOne(left: Clause, right: Clause, joint: Joint): Kept | null {
  if (left.kind === 'condition' || right.kind === 'condition') return 'condition';
  if (left.kind === 'question') return 'question';
  if (right.kind === 'limit') return 'limit';
  if (right.kind !== 'request' || left.kind !== 'request') return 'no_request';
  if (left.short || right.short) return 'too_short';
  if (right.does.has('deliver')) return 'limit';
  return insideWhat(left, right, joint) ?? whyNouns(left, right, joint);
}

/** Does the right side belong to a clause inside the left one: "a script to read A and send B"? */
function insideWhat(left: Clause, right: Clause, joint: Joint): Kept | null {
  if (left.hosts === 'firm') return 'inner_clause';
  if (joint.chain) return left.hosts !== 'no' || right.hosts !== 'no' ? 'inner_clause' : null;
  const loosely = joint.comma || right.also || left.language === 'ko';
  return left.hosts === 'loose' && !loosely ? 'inner_clause' : null;
}

/** Are both sides halves of a thing: "the header and search bar"? */
function whyNouns(left: Clause, right: Clause, joint: Joint): Kept | null {
  if (joint.order || right.ordered) return null;
  if (joint.chain) {
    // -고 says less than any word that joins: both sides must say what they work on.
    const clear = left.nounlike === 'no' && right.nounlike === 'no' && (!right.brief || right.also);
    return clear ? null : 'nouns';
  }
  if (right.language === 'ko') return right.nounlike === 'no' ? null : 'nouns';
  if (right.also || left.verb === right.verb) return null;
  if (right.nounlike === 'likely') return 'nouns';
  return right.nounlike === 'maybe' && left.endsVerblike ? 'nouns' : null;
}

/** The unit with the fragment at its end. Korean verbs come last, so there the end says what the whole is. */
function grown(unit: Unit, { end, joint }: Fragment, right: Clause): Unit {
  const left = unit.clause;
  const fixed = left.kind === 'condition' || left.kind === 'question';
  const opens = left.kind === 'plain' && right.kind === 'request' && joint.comma;
  const last = right.language === 'ko' && right.kind !== 'plain';
  const base = !fixed && (opens || last) ? right : left;
  const clause: Clause = {
    ...base,
    kind: right.kind === 'condition' && !fixed ? 'condition' : base.kind,
    object: opens ? right.object : [...left.object, ...right.object].slice(0, 40),
    leans: left.leans || (right.leans && right.kind !== 'limit'),
    ordered: left.ordered || right.ordered,
    also: left.also || base.also,
    hosts: harder(left.hosts, right.hosts),
    endsVerblike: right.endsVerblike,
    short: left.short && right.short,
    bare: left.bare && right.bare,
    lead: left.lead,
  };
  return { ...unit, end, clause };
}

/** A new unit begins here, whatever the clause is. */
function beginsAnew(unit: Unit, right: Clause, joint: Joint): boolean {
  if (!isBoundary(joint)) return false;
  if (joint.sentence || unit.clause.kind !== 'request') return true;
  // A line that is no request goes on with the request above it.
  return right.kind !== 'plain' && right.kind !== 'limit';
}

/** Nothing but a word that joins: "Also, …", "그리고, …". It belongs to the clause that follows. */
const onlyJoins = ({ kind, also, ordered, object, verb }: Clause): boolean =>
  kind === 'plain' && (also || ordered) && verb === '' && object.length === 0;

const both = (a: Joint, b: Joint): Joint => {
  const sum = { ...a };
  for (const [name, there] of Object.entries(b)) if (there) sum[name as keyof Joint] = true;
  return sum;
};

type Read = { fragment: Fragment; clause: Clause };

function readAll(read: string, fragments: readonly Fragment[]): Read[] {
  const all: Read[] = [];
  let before: Read | null = null;
  for (const fragment of fragments) {
    let clause = readClause(read.slice(fragment.start, fragment.end));
    let { joint } = fragment;
    if (before) {
      joint = both(before.fragment.joint, { ...joint, sentence: false });
      const { also, ordered } = before.clause;
      clause = { ...clause, also: clause.also || also, ordered: clause.ordered || ordered };
    }
    const now: Read = { fragment: { ...fragment, joint }, clause };
    before = onlyJoins(clause) ? now : null;
    if (!before) all.push(now);
  }
  return all;
}

/** `read`: the folded and masked text that the fragments are cut from. */
export function unitsOf(read: string, fragments: readonly Fragment[]): Units {
  const units: Unit[] = [];
  const kept = new Set<Kept>();
  for (const { fragment, clause } of readAll(read, fragments)) {
    const { start, end, joint } = fragment;
    const unit = units.at(-1);
    const add = (tentative: boolean) => units.push({ start, end, clause, joint, tentative });
    if (!unit || beginsAnew(unit, clause, joint)) {
      add(false);
      continue;
    }
    const why = whyOne(unit.clause, clause, joint);
    const onlyComma = joint.comma && !joint.word && !joint.order && !clause.also && !clause.ordered;
    if (why === null) add(onlyComma && !joint.chain);
    else {
      if (!onlyComma || why === 'condition') kept.add(why);
      units[units.length - 1] = grown(unit, fragment, clause);
    }
  }
  return { units, kept };
}
