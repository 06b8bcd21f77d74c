// Which of the three languages a text is written in. Code, quotes, URLs and paths do not count.
import { type Language, startsWithVerb } from './lexicon.ts';
import { maskText } from './mask.ts';

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

export function detectLanguage(text: string): Language {
  const visible = maskText(text);
  const hangul = count(visible, /\p{Script=Hangul}/gu);
  const han = count(visible, /\p{Script=Han}/gu);
  if (hangul + han === 0) return 'en';
  const latin = count(visible, /\p{Script=Latin}/gu);
  // An English command may carry a few foreign words ("write 안녕 into a.txt").
  if (startsWithVerb(visible.trim(), 'en') && latin > 2 * (hangul + han)) return 'en';
  return hangul * 2 >= han ? 'ko' : 'zh';
}
