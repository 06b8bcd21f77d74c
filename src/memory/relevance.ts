// Whether a record has to do with a question at all. BM25 only orders; something always comes first. Pure.
import type { Unit } from './words.ts';

/** How many records hold a term of the question, of how many records. */
export type Frequencies = { total: number; of: ReadonlyMap<string, number> };
export type Indexed = { units: readonly Unit[]; terms: ReadonlySet<string> };

/** Below this many records the rareness of a word says nothing yet. */
const LEAST_RECORDS = 50;
/** Share of the question that a record must answer to. */
const FLOOR = 0.34;
/** From here on a longer question asks for more words in common, but fewer in proportion. */
const FULL = 3;
/** Or this share of the record stands in the question: a short fact in a long request. */
const HELD = 0.6;

/** 1 for a word in one record or none, towards 0 for a word in most of them. */
export function rareness({ total, of }: Frequencies, term: string): number {
  const n = Math.max(total, LEAST_RECORDS);
  const idf = (seen: number): number => Math.log(1 + (n - seen + 0.5) / (seen + 0.5));
  return Math.min(1, idf(Math.max(1, of.get(term) ?? 0)) / idf(1));
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, v) => sum + v, 0) / values.length;

/** Share of a word that is among the terms: of n overlapping pairs any n - 1 are all of it but an ending. */
function shareOf(unit: Unit, terms: ReadonlySet<string>): { share: number; common: string[] } {
  const common = unit.terms.filter((term) => terms.has(term));
  return { common, share: Math.min(1, common.length / Math.max(1, unit.terms.length - 1)) };
}

export function isRelevant(question: Indexed, record: Indexed, all: Frequencies): boolean {
  const rare = (list: readonly string[]): number => mean(list.map((term) => rareness(all, term)));
  let asked = 0;
  let answered = 0;
  for (const unit of question.units) {
    const { share, common } = shareOf(unit, record.terms);
    const known = unit.terms.filter((term) => (all.of.get(term) ?? 0) > 0);
    asked += unit.weight * (known.length > 0 ? rare(known) : 1);
    answered += unit.weight * share * rare(common);
  }
  if (answered === 0) return false;
  const needed = Math.min(asked, FULL * Math.sqrt(Math.max(1, asked / FULL)));
  if (answered / needed >= FLOOR) return true;
  const size = record.units.reduce((sum, unit) => sum + unit.weight, 0);
  const held = record.units.reduce(
    (sum, u) => sum + u.weight * shareOf(u, question.terms).share,
    0,
  );
  return held / size >= HELD;
}
