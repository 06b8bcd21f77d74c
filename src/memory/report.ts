// What was noted and does not appear in the answer: listed at its end, so that nothing that was recorded is lost to
// the reader. Pure. Never judges whether a note is right, only whether it is there.
import type { BrainNote } from '../domain/brain.ts';
import { oneLine } from '../domain/text.ts';
import { detectLanguage } from '../language/detect.ts';
import { indexed } from './words.ts';

const HEADING = { en: 'Notes not used', ko: '사용하지 않은 노트', zh: '未采用的笔记' } as const;

/** `note 3`, `notes 3, 4 and 7`, `[[3]]`, `노트 3`, `笔记 3`. */
const CITED =
  /(?:\bnotes?|노트|메모|笔记|筆記|\[\[)\s*(?:no\.?|nr\.?)?\s*((?:#?\d+)(?:\s*(?:,|、|and|&|및|와|과|和)\s*#?\d+)*)/giu;
/** So much of a note in the answer, in whatever order, means that it was used. */
const USED = 0.8;
const LINE = 500;

const flat = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ');

export function citedNumbers(answer: string): Set<number> {
  const lists = [...answer.matchAll(CITED)].map(([, list = '']) => list);
  return new Set(lists.flatMap((list) => (list.match(/\d+/g) ?? []).map(Number)));
}

/** Notes of agents that the answer neither cites by number nor holds in substance; each text once. */
export function unusedNotes(answer: string, notes: readonly BrainNote[]): BrainNote[] {
  const cited = citedNumbers(answer);
  const said = flat(answer);
  const { terms } = indexed(answer);
  const holds = (note: string): boolean => {
    if (said.includes(flat(note))) return true;
    const { units } = indexed(note);
    const size = units.reduce((sum, unit) => sum + unit.weight, 0);
    const there = units.filter((unit) => unit.terms.every((term) => terms.has(term)));
    return size >= 2 && there.reduce((sum, unit) => sum + unit.weight, 0) / size >= USED;
  };
  const texts = new Set<string>();
  return notes.filter(({ note_id, kind, note }) => {
    if (kind !== 'note' || cited.has(note_id) || holds(note) || texts.has(flat(note))) return false;
    texts.add(flat(note));
    return true;
  });
}

/** The answer, with the notes that it leaves out. `request` decides the language of the heading. */
export function withUnused(answer: string, notes: readonly BrainNote[], request: string): string {
  const unused = unusedNotes(answer, notes);
  if (unused.length === 0) return answer;
  const lines = unused.map((n) => `- note ${n.note_id} (${n.role}): ${oneLine(n.note, LINE)}`);
  return `${answer.trimEnd()}\n\n## ${HEADING[detectLanguage(request)]}\n\n${lines.join('\n')}`;
}
