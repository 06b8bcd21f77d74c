// Reads a clause in the language that it is written in: a request may mix them, a clause rarely does.

import { readChinese } from './chinese.ts';
import type { Clause, ClauseLanguage } from './clause.ts';
import { readEnglish } from './english.ts';
import { readKorean } from './korean.ts';

export type { Clause } from './clause.ts';

const languageOf = (clause: string): ClauseLanguage => {
  if (/\p{Script=Hangul}/u.test(clause)) return 'ko';
  return /\p{Script=Han}/u.test(clause) ? 'zh' : 'en';
};

// A clause of a thousand characters is no sentence of a person: its beginning and its end tell what it is.
const HEAD = 600;
const END = 200;

/** `clause`: folded and masked. `listed`: it is an item of a list. */
export function readClause(clause: string, listed = false): Clause {
  const long = clause.length > HEAD + END;
  const text = long ? `${clause.slice(0, HEAD)} ${clause.slice(-END)}` : clause;
  const language = languageOf(text);
  if (language === 'ko') return readKorean(text, listed);
  return language === 'zh' ? readChinese(text, readEnglish) : readEnglish(text);
}
