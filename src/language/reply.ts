// Which language an answer has to be in, and whether it is. Careful on purpose: what is code, data, short or in doubt
// has no verdict. Pure.
import type { ReplyLanguage } from '../domain/language.ts';
import { detectLanguage } from './detect.ts';
import { startsWithVerb } from './lexicon.ts';
import { MASK, maskText } from './mask.ts';
import { scriptOf } from './script.ts';

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

/** A request that speaks of languages decides for itself what it wants. */
const OF_LANGUAGES =
  /\b(?:english|korean|hangul|chinese|mandarin|cantonese|japanese|french|german|spanish|italian|portuguese|russian|vietnamese|thai|arabic|hindi|translat\w*|locali[sz]\w*|i18n|l10n|bilingual|multilingual)\b|영어|영문|한국어|한글|국문|중국어|일본어|불어|독일어|번역|다국어|英文|英语|英語|中文|汉语|漢語|简体|簡體|繁体|繁體|韩文|韓文|韩语|韓語|日文|日语|日語|法语|法語|德语|德語|翻译|翻譯|多语|多語|双语|雙語/i;

/** Words of English alone: none of them is a word of its neighbours. */
const ENGLISH = new Set(
  'the and of to is are was were with for from this that these those what how why which when where please it its my you your can could should would has have had not be been by as at if there will'.split(
    ' ',
  ),
);
type Letters = { hangul: number; han: number; kana: number; words: string[] };
function lettersOf(visible: string): Letters {
  return {
    hangul: count(visible, /\p{Script=Hangul}/gu),
    han: count(visible, /\p{Script=Han}/gu),
    kana: count(visible, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu),
    words: visible.match(/\p{Script=Latin}+/gu) ?? [],
  };
}

/** The language that the answer must be in; null: the request does not tell, or asks for one itself. */
export function languageOfRequest(text: string): ReplyLanguage | null {
  if (OF_LANGUAGES.test(text)) return null;
  const visible = maskText(text);
  const { hangul, han, kana, words } = lettersOf(visible);
  const detected = detectLanguage(text);
  if (detected === 'ko') return hangul >= 2 ? 'ko' : null;
  if (detected === 'zh') return han >= 2 && kana === 0 ? scriptOf(visible) : null;
  const plain = !/[^\p{ASCII}\p{P}\p{S}\p{Script=Han}\p{Script=Hangul}]/u.test(
    visible.replaceAll(MASK, ' '),
  );
  const english =
    startsWithVerb(visible.trim(), 'en') || words.some((w) => ENGLISH.has(w.toLowerCase()));
  return plain && english && words.length >= 2 ? 'en' : null;
}

/** Lists, tables, headings and quotes are often data. */
const NO_PROSE = /^\s*(?:[-*•|>#]|\d{1,3}[.)、]|\S+:\s*$)/;
const proseOf = (visible: string): string =>
  visible
    .split('\n')
    .filter((line) => !NO_PROSE.test(line))
    .join('\n');

/** So much of the language that was asked for, as a part of everything, is enough: the rest is data and names. */
const ENOUGH = 0.03;
/** Characters of a text that are looked at. */
const MOST_READ = 20_000;
const LEAST_WORDS = 15;
const LEAST_CHARACTERS = 20;

/** Sentences have many of the small words, and different ones; logs and lists of names do not. */
function isEnglish({ words }: Letters, least: number): boolean {
  const small = words.map((word) => word.toLowerCase()).filter((word) => ENGLISH.has(word));
  const enough = small.length / words.length >= 0.2;
  return words.length >= least && enough && new Set(small).size >= Math.min(4, least / 4);
}

function instead(asked: ReplyLanguage, visible: string, least: number): ReplyLanguage | null {
  const letters = lettersOf(visible);
  const { hangul, han, kana, words } = letters;
  const own = asked === 'ko' ? hangul : han;
  const other = asked === 'ko' ? han : hangul;
  if (own >= Math.max(1, ENOUGH * (hangul + han + kana + words.length))) return null;
  if (other >= LEAST_CHARACTERS && kana === 0) return asked === 'ko' ? scriptOf(visible) : 'ko';
  return isEnglish(letters, least) ? 'en' : null;
}

/** Chinese in the other script: many characters that only that one has, and hardly any of the right ones. */
function otherScript(asked: ReplyLanguage, visible: string): ReplyLanguage | null {
  if (asked !== 'zh-Hans' && asked !== 'zh-Hant') return null;
  const found = scriptOf(visible, { least: 8, clear: 4 });
  return found === 'zh' || found === asked ? null : found;
}

/** The language in which the text is, when that is not the one that was asked for; null: it is, or nobody can tell. */
export function driftOf(asked: ReplyLanguage | null, text: string): ReplyLanguage | null {
  const trimmed = text.trim().slice(0, MOST_READ);
  if (asked === null || /^[{[<]/.test(trimmed)) return null;
  const visible = maskText(trimmed);
  const prose = proseOf(visible);
  if (asked === 'en') {
    const { hangul, han, kana, words } = lettersOf(prose);
    const foreign =
      hangul + han >= LEAST_CHARACTERS && kana === 0 && words.length * 10 < hangul + han;
    if (!foreign || isEnglish(lettersOf(visible), 5)) return null;
    return hangul >= han ? 'ko' : scriptOf(prose);
  }
  const own = count(visible, asked === 'ko' ? /\p{Script=Hangul}/gu : /\p{Script=Han}/gu);
  // A text that is a list all through is judged as a whole, and only when nothing in it is as asked.
  const all = own === 0 ? instead(asked, visible, 3 * LEAST_WORDS) : null;
  const enough = own >= ENOUGH * lettersOf(visible).words.length && own > 0;
  return (enough ? null : instead(asked, prose, LEAST_WORDS)) ?? all ?? otherScript(asked, visible);
}
