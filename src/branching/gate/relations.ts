// Whether later requests need earlier ones. Pure; reads clauses only.
import type { Clause } from '../../language/clause/index.ts';

export type Relation = 'independent' | 'sequential' | 'dependent';

/** `weak`: joined by a word that says nothing of independence. */
export type Asked = { clause: Clause; weak: boolean };

const sameObject = (a: Clause, b: Clause): boolean =>
  a.object.length > 0 && a.verb !== b.verb && a.object.join(' ') === b.object.join(' ');

const MOST_COMPARED = 40;

/** How a request stands to the one before it. */
function pair(left: Clause, right: Clause, weak: boolean): Relation {
  if (right.does.has('ship') && left.verb !== right.verb) return 'sequential';
  if (sameObject(left, right)) return 'dependent';
  if (!weak || left.verb === right.verb) return 'independent';
  if (left.does.has('prepare') && (right.does.has('consume') || right.brief)) return 'dependent';
  if (right.vague) return 'dependent';
  return left.does.has('create') && right.bare ? 'dependent' : 'independent';
}

/** The relation of a whole request, whose parts are in order. */
export function relationOf(asked: readonly Asked[]): Relation {
  // "First", "finally": also the first part can say it.
  if (asked.some(({ clause }) => clause.ordered)) return 'sequential';
  const later = asked.slice(1);
  if (later.some(({ clause }) => clause.leans)) return 'dependent';
  let found: Relation = 'independent';
  later.forEach(({ clause, weak }, i) => {
    const before = asked[i]?.clause;
    const relation = before ? pair(before, clause, weak) : 'independent';
    if (relation !== 'independent') found = relation;
  });
  if (found !== 'independent') return found;
  const introduced: string[][] = [];
  for (const { clause } of asked.slice(0, MOST_COMPARED)) {
    // "a user model … the model", but not "a post … the old post".
    const known = clause.refers.some((thing) =>
      introduced.some((before) => thing.every((word) => before.includes(word))),
    );
    if (known) return 'dependent';
    introduced.push(...clause.introduces);
  }
  return 'independent';
}
