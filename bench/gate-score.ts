// Precision and recall of the branching gate over the committed vectors.
// A hit has the right number of parts: a wrong cut counts against both.
import { readFileSync } from 'node:fs';
import { readGate } from '../src/branching/index.ts';
import { detectLanguage } from '../src/language/detect.ts';

type Vector = { text: string; parts: number };
export type GateScore = {
  set: string;
  language: string;
  vectors: number;
  should_open: number;
  opened: number;
  right: number;
  /** Null where nothing was opened, or nothing should be. */
  precision: number | null;
  recall: number | null;
};

const FIXTURES = new URL('../test/fixtures/gate/', import.meta.url);
export const SETS: Readonly<Record<string, string>> = {
  given: 'gate-vectors.json',
  'before the rules, en': 'own-en.json',
  'before the rules, ko': 'own-ko.json',
  'before the rules, zh': 'own-zh.json',
  'tuned on': 'tried.json',
  'held out': 'held-out.json',
};

export const vectorsOf = (file: string): Vector[] =>
  JSON.parse(readFileSync(new URL(file, FIXTURES), 'utf8')).vectors;

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

function scoreOf(set: string, language: string, vectors: readonly Vector[]): GateScore {
  const found = vectors.map(({ text, parts }) => ({ parts, got: readGate(text).parts.length }));
  const should_open = found.filter(({ parts }) => parts > 0).length;
  const opened = found.filter(({ got }) => got > 0).length;
  const right = found.filter(({ parts, got }) => parts > 0 && got === parts).length;
  const counts = { set, language, vectors: vectors.length, should_open, opened, right };
  return { ...counts, precision: share(right, opened), recall: share(right, should_open) };
}

/** Every set by language, then every set as a whole. */
export function gateScores(): GateScore[] {
  return Object.entries(SETS).flatMap(([set, file]) => {
    const vectors = vectorsOf(file);
    const by = (['en', 'ko', 'zh'] as const).flatMap((language) => {
      const own = vectors.filter(({ text }) => detectLanguage(text) === language);
      return own.length > 0 ? [scoreOf(set, language, own)] : [];
    });
    return [...by, scoreOf(set, 'all', vectors)];
  });
}
