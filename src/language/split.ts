// Splits a request into its parts: a list, parts joined by a conjunction, or an ordered sequence.
// Reads masked text, cuts the original. Never drops a word of a part; what is in doubt stays whole.
import { detectLanguage } from './detect.ts';
import { type Language, leansOnEarlier, startsWithVerb } from './lexicon.ts';
import { maskText } from './mask.ts';

export type Split = {
  /** `list` and `conjunction`: independent parts. `sequence`: in this order. `single`: one part. */
  how: 'single' | 'list' | 'conjunction' | 'sequence';
  parts: string[];
  /** Why, for the decision log. */
  reason: string;
};

const ITEM =
  /^[ \t]*(?:\d{1,2}[.)][ \t]+|\d{1,2}[、．][ \t]*|[-*•][ \t]+|[①-⑳][ \t]*|[(（]\d{1,2}[)）][ \t]*)(.+)$/;
const EDGE = /^[\s,;，；、。.]+|[\s,;，；、]+$/g;

const CONJUNCTION: Record<Language, RegExp> = {
  en: /[,;.]?\s+(?:and\s+also|as\s+well\s+as|and|plus)\s+|\s\+\s/gi,
  ko: /(?<=[\s,.])(?:그리고|또한|동시에)(?=[\s,])|\s\+\s/g,
  zh: /(?:并且|並且)|(?<![与與不])(?:同时|同時)(?![期性间間])|(?<![而况姑暂暫尚苟并並])且(?![慢说說])|\s\+\s/g,
};
const SEQUENCE: Record<Language, RegExp> = {
  en: /[,;.]?\s+(?:and\s+)?(?:then|after\s+that|afterwards)[\s,]+/gi,
  ko: /(?<=[\s,.])(?:그리고\s*나서|그런\s*다음에?|그\s*다음에?|그\s*후에?)(?=[\s,])/g,
  zh: /[，,。；;]?\s*(?:然后|然後|之后再|之後再|接着|接著)[，,]?|[，,]\s*再(?!次|见|說|说)/g,
};

const isCjk = (language: Language): boolean => language !== 'en';
/** At least two words, or four characters where words are not spaced. */
const longEnough = (part: string, language: Language): boolean =>
  isCjk(language)
    ? [...part.replace(/[\s\p{P}]/gu, '')].length >= 4
    : part.trim().split(/\s+/).length >= 2;

const clean = (part: string): string => part.replace(EDGE, '').trim();

type Cut = { start: number; end: number };
function pieces(text: string, masked: string, cuts: Cut[]): { part: string; masked: string }[] {
  const edges = [{ start: 0, end: 0 }, ...cuts, { start: text.length, end: text.length }];
  return edges.slice(1).map((edge, i) => {
    const from = edges[i]?.end ?? 0;
    return {
      part: clean(text.slice(from, edge.start)),
      masked: clean(masked.slice(from, edge.start)),
    };
  });
}

/** Cuts whose right side is a request of its own; the others were only words between words. */
function cutsOf(
  masked: string,
  pattern: RegExp,
  accept: (left: string, right: string, joint: string) => boolean,
): Cut[] {
  const found = [...masked.matchAll(pattern)].map((m) => ({
    start: m.index,
    end: m.index + m[0].length,
    joint: m[0],
  }));
  return found.filter((cut, i) => {
    const right = clean(masked.slice(cut.end, found[i + 1]?.start ?? masked.length));
    return accept(clean(masked.slice(found[i - 1]?.end ?? 0, cut.start)), right, cut.joint);
  });
}

/** "a, b and c": items before the conjunction that begin with a verb are parts as well. */
function commaItems(part: string, language: Language): string[] {
  const masked = maskText(part);
  const cuts = cutsOf(masked, /[,，、]\s*/g, () => true);
  const items = pieces(part, masked, cuts);
  const verbs = items.every(
    (i) => startsWithVerb(i.masked, language) && longEnough(i.part, language),
  );
  return items.length > 1 && verbs ? items.map((i) => i.part) : [part];
}

function list(text: string): string[] {
  const items: string[] = [];
  for (const line of text.split('\n')) {
    const item = ITEM.exec(line)?.[1];
    if (item !== undefined) items.push(item.trim());
    else if (items.length > 0 && /^\s+\S/.test(line)) items.push(`${items.pop()}\n${line.trim()}`);
  }
  return items;
}

export function splitRequest(input: string): Split {
  const text = input.normalize('NFC').trim();
  const items = list(text);
  if (items.length >= 2) return { how: 'list', parts: items, reason: `${items.length} list items` };
  const masked = maskText(text);
  const language = detectLanguage(text);
  const request = (part: string) => startsWithVerb(part, language) && longEnough(part, language);

  const order = cutsOf(masked, SEQUENCE[language], (left, right) => {
    return left !== '' && !/^(?:if|when|unless)\b/i.test(left) && request(right);
  });
  if (order.length > 0) {
    const parts = pieces(text, masked, order).map((p) => p.part);
    return { how: 'sequence', parts, reason: 'ordered: then, after that' };
  }
  let leans = false;
  const cuts = cutsOf(masked, CONJUNCTION[language], (left, right, joint) => {
    if (left === '' || !longEnough(left, language) || !request(right)) return false;
    if (joint.trim() === '+' && !request(left)) return false;
    leans ||= leansOnEarlier(right, language);
    return !leansOnEarlier(right, language);
  });
  if (cuts.length === 0) {
    const reason = leans ? 'the second part leans on the first' : 'no conjunction between requests';
    return { how: 'single', parts: [text], reason };
  }
  const parts = pieces(text, masked, cuts).flatMap((p, i, all) =>
    i < all.length - 1 ? commaItems(p.part, language) : [p.part],
  );
  return { how: 'conjunction', parts, reason: `${parts.length} requests joined` };
}

/**
 * Sentences of a text; a dot inside a path, a number or a quote ends none. A single line break ends one only
 * where the next line is a request of its own; a code block stays with what is said before it.
 */
export function splitSentences(text: string): string[] {
  const masked = maskText(text);
  const language = detectLanguage(text);
  const ends = /(?<=[.!?])\s+(?=\S)|(?<=[。！？])\s*(?=\S)|\n+/g;
  const cuts = cutsOf(masked, ends, (left, right, joint) => {
    if (/^\n(?!\n)/.test(joint) && !/[.!?。！？]$/.test(left))
      return (
        startsWithVerb(right, language) && (language !== 'ko' || startsWithVerb(left, language))
      );
    return true;
  }).filter((cut) => !text.startsWith('```', cut.end));
  return pieces(text, masked, cuts)
    .map((p) => p.part)
    .filter((part) => part !== '');
}
