// The words by which a text is indexed and asked for: the same for both sides, in English, Korean, Chinese, Japanese.
// Pure. A word is found without its ending, a Korean one without its particle, a Chinese one inside a sentence.
import { tokens } from '../language/tokens.ts';
import { CUT_ZH, STOP_EN, STOP_KO } from './stop-words.ts';

/** One word of a text as people see it: the terms that stand for it, and how much it weighs against the others. */
export type Unit = { terms: string[]; weight: number };

const PIECE =
  /[\p{Script=Hangul}]+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|(?:(?![\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}_])+/gu;
const HANGUL = /^\p{Script=Hangul}/u;
const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HIRAGANA = /\p{Script=Hiragana}+/gu;

/** Longest first. */
const PARTICLE =
  /(?:에서부터|으로부터|에게서는|이라고는|까지는|부터는|에서는|으로는|에게는|한테서|에게서|이라고|이라는|이라도|처럼은|입니다|이에요|인가요|까지|부터|에서|에게|으로|한테|께서|이나|이란|이며|이고|이야|처럼|보다|마다|조차|밖에|라고|라는|라도|라면|로는|에는|와는|과는|만은|들은|들이|들을|들의|하고|예요|은|는|이|가|을|를|에|의|로|와|과|도|만|나|랑|께|야)$/u;

/** A Korean word without its last particle; at least one syllable stays. */
export function koreanStem(word: string): string {
  const stem = word.replace(PARTICLE, '');
  return stem === '' ? word : stem;
}

/** Ends at which a stem of three letters or more is left. Order matters: the first that fits is taken. */
const ENDINGS: readonly [RegExp, string][] = [
  [/ies$/, 'y'],
  [/(ss|sh|ch|x|z)es$/, '$1'],
  [/ments?$/, ''],
  [/(?:ing|ed)ly$/, ''],
  [/ings?$/, ''],
  [/ed$/, ''],
  [/([^su])s$/, '$1'],
];

/** An English word without its commonest endings. Not a linguist: both sides only have to come out alike. */
export function englishStem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  for (const [ending, instead] of ENDINGS) {
    const stem = word.replace(ending, instead);
    if (stem === word || stem.length < 3 || !/[aeiouy]/.test(stem)) continue;
    return bare(stem);
  }
  return bare(word);
}
/** `stopp` and `stop`, `cache` and `cach` are one. */
const bare = (stem: string): string =>
  stem.replace(/([bdfgmnprt])\1$/, '$1').replace(/(?<=[a-z]{3})e$/, '');

function latin(word: string): Unit[] {
  // A name in code is found whole and by its parts.
  const parts = word.split('_').filter((part) => part !== '');
  const whole = parts.length > 1 ? [{ terms: [word], weight: 1 }] : [];
  const own = parts.filter((part) => !STOP_EN.has(part) && !/^[a-z]$/.test(part));
  return [...whole, ...own.map((part) => ({ terms: [englishStem(part)], weight: 1 }))];
}

function hangul(word: string): Unit[] {
  const stem = koreanStem(word);
  if (STOP_KO.has(word) || STOP_KO.has(stem)) return [];
  // A long one is mostly the ending of a verb.
  return [{ terms: [...new Set([stem, ...tokens(stem)])], weight: Math.min(1.5, sizeOf(stem)) }];
}

/** Japanese particles and endings are written in Hiragana between the words that matter. */
const chinese = (run: string): Unit[] =>
  run
    .replace(CUT_ZH, ' ')
    .replace(HIRAGANA, (kana) => (kana.length > 2 ? kana : ' '))
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => ({ terms: [...new Set(tokens(part))], weight: sizeOf(part) }));

/** Two characters are about as much as one English word. */
const sizeOf = (text: string): number => Math.max(0.5, [...text].length / 2);

/** The words of a text that say what it is about, each once, in order. */
export function unitsOf(text: string): Unit[] {
  const found = new Map<string, Unit>();
  for (const [piece] of text.normalize('NFKC').toLowerCase().matchAll(PIECE))
    for (const unit of wordsOf(piece)) found.set(unit.terms.join(' '), unit);
  return [...found.values()];
}
const wordsOf = (piece: string): Unit[] =>
  HANGUL.test(piece) ? hangul(piece) : CJK.test(piece) ? chinese(piece) : latin(piece);

/** A text with every term under which it is found: those of its words, and each Chinese character by itself. */
export function indexed(text: string): { units: Unit[]; terms: Set<string> } {
  const units = unitsOf(text);
  const terms = new Set(units.flatMap((unit) => unit.terms));
  for (const term of [...terms]) if (CJK.test(term)) for (const sign of term) terms.add(sign);
  return { units, terms };
}
