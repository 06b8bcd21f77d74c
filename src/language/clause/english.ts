// Reads one English clause: folded, masked text in, what it is out. Small tests on words, in a fixed order.
import { MASK } from '../mask.ts';
import { type Clause, type ClauseKind, NO_CLAUSE, type VerbKind } from './clause.ts';
import {
  DELIVER_EN,
  DELIVERABLE_EN,
  DETERMINERS_EN,
  GENERIC_EN,
  HEADS_EN,
  LIMIT_EN,
  NEVER_VERB_EN,
  NOUNLIKE_EN,
  RELATIONAL_EN,
  SHIP_EN,
  VERBS_EN,
  verbKindEn,
} from './words-en.ts';

const ORDER =
  /^(?:and )?(?:then|after that|afterwards?|after this|after which|thereafter|subsequently|next|finally|lastly|at last|at the end|in the end|eventually|later|later on|once (?:done|finished|that is done)|when (?:done|finished)|first of all|first|firstly|second|secondly|third|thirdly|to begin with|step \w+|last but not least)\b[\s,:]*/;
const ALSO =
  /^(?:(?:and|but|oh|plus)[\s,]+)?(?:also|additionally|in addition|besides|moreover|furthermore|separately|independently|in parallel|in the meantime|meanwhile|at the same time|simultaneously|on top of that|as well|while you(?:'re| are) at it|another (?:thing|task)|one more thing|on a separate note|likewise)\b[\s,:]*/;
const POLITE =
  /^(?:please|pls|plz|kindly|just|now|ok|okay|hi|hello|hey|dear|team|so|well|alright|great|thanks|thank you|today|tomorrow|asap|urgent|todo|tasks?|tickets?|(?:can|could|would|will) (?:you|u|we)|would you mind|do me a favou?r|i (?:want|need|would like|wish|expect) (?:you )?to|i'd (?:like|love) (?:you )?to|we (?:want|need|would like|have|ought) to|we'd like (?:you )?to|we should|you (?:should|must|need to|have to|can|may|could)|let's|lets|let us|help (?:me|us)(?: to)?|your (?:task|job) is to|the (?:task|goal|job|plan) is to|the goal here is to|go ahead and|try to|don't forget to|do not forget to|remember to|be sure to|feel free to|to|both|either|for me|again|once more|maybe|perhaps|i'd appreciate it if you(?: could)?|it would be (?:nice|great|good) (?:if you could|to)|need to|want to|gotta|[a-z]+ly(?! [a-z]+ly\b))\b(?!-)[\s,:!.]*/;
const CONDITION =
  /^(?:if|when|whenever|unless|once|until|till|while|after|before|as soon as|as long as|in case|given|provided|assuming|suppose|supposing|since|because|should|in the event|depending on|even if|only if|where)\b/;
const QUESTION =
  /^(?:what|what's|why|how|who|whose|whom|which|where|when|is|are|am|was|were|do(?! (?:the|this|these|both|some|all|following))|does|did|has|have|had|should|shall|can|could|would|will|may|might|must|isn't|aren't|don't you|doesn't|didn't|won't|can't|couldn't)\b/;
const TRAILING_CONDITION =
  /\b(?:if(?! (?:needed|necessary|possible|required|you can|you like|any|applicable))|unless|until|once|as soon as|only when|depending on|in case|provided that|otherwise|whenever)\b/;
const TRAILING_ORDER =
  /\b(?:(?:after|before|prior to|followed by) (?:\w+ing|it|that|this|you|we|they|each|having)|one after (?:the other|another)|one by one|step by step|in (?:that|this|the (?:following|given)) order|in sequence|sequentially)\b|\b(?:afterwards?|later|first|next|last|thereafter)$/;
const LEANS =
  /\b(?:it|it's|its|itself|them|themselves|their|theirs|they|these|those|the (?:results?|outputs?|same|former|latter|resulting|updated|fixed|generated|modified|above|previous|changes|findings|fix|rest|new one|corresponding)|based on|accordingly|thereof|each of|both of|the other|respectively|in there|from there|what you (?:find|found|did|learn|see)|your (?:findings|changes|results?|answer|work|fix|conclusions?))\b|\bones?$/;
const THIS =
  /\bthis\b(?! (?:week|month|year|quarter|morning|afternoon|evening|sprint|friday|monday))/;
/** "that" as a pointer; as a link it is followed by a clause. */
const THAT =
  /\bthat\b(?! (?:\w+s|can|will|should|must|has|have|is|are|lets?|does|do|the|a|an|all|we|you|they|users?|people|every|no)\b)/;
const FINITE =
  /\b(?:is|are|was|were|has been|have been|isn't|aren't|seems?|looks like|keeps?|fails?|crash(?:es|ed)|takes?)\b/;
const WORD = /[a-z][a-z'-]*|\uE000+|[\d#$][\w.,%]*|[\p{Script=Han}\p{Script=Hangul}]+|[:]/gu;
const LOOSE_HOST = wordSetOf('how what why where who when whether that');
const FIRM_HOST = wordSetOf(
  'can could will would should must may might which who whose lets let allows allowing enables enabling helps helping makes making cannot so whoever',
);
/** What a noun-like verb may be followed by and still be a verb. */
const VERB_LINK: Readonly<Record<string, RegExp>> = {
  for: /^(?:search|look|check|watch|test|account|ask|prepare|plan|scan|apply|register)$/,
  on: /^(?:report|work|expand|elaborate|focus|comment|follow|build)$/,
  to: /^(?:deploy|switch|upgrade|migrate|publish|push|change|move|reply|respond|update|send)$/,
  into: /^(?:look|split|turn|dig|break|merge)$/,
  up: /./,
  out: /./,
  down: /./,
  off: /./,
};

function wordSetOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

type Start = { text: string; ordered: boolean; also: boolean; to: boolean; lead: number };

/** Takes the words away that only introduce the clause. */
function strip(clause: string): Start {
  let text = clause.replace(/^[\s,;:.!?*\-–—"(]+/, '');
  const start: Start = {
    text,
    ordered: false,
    also: false,
    to: false,
    lead: clause.length - text.length,
  };
  let polished = false;
  // Each round takes a word away; nobody writes more of them.
  for (let round = 0; round < 8; round++) {
    const order = ORDER.exec(text)?.[0];
    const also = order ? undefined : ALSO.exec(text)?.[0];
    const polite = order || also ? undefined : POLITE.exec(text)?.[0];
    const cut = order ?? also ?? polite;
    if (!cut || (polite && cut.length === text.length)) break;
    start.ordered ||= order !== undefined;
    start.also ||= also !== undefined;
    start.to = /\bto\s*$/.test(cut);
    polished ||= polite !== undefined;
    if (!polished) start.lead += cut.length;
    text = text.slice(cut.length);
  }
  return { ...start, text };
}

const isDeterminer = (word: string | undefined): boolean =>
  word !== undefined &&
  (DETERMINERS_EN.has(word) || word.startsWith(MASK) || /^[\d#$]/.test(word) || /'s$/.test(word));

function isVerb(word: string, next: string | undefined): boolean {
  if (VERBS_EN.has(word)) return true;
  if (NEVER_VERB_EN.has(word) || !/^[a-z-]{3,}$/.test(word)) return false;
  // A word before a determiner is a verb, when its form allows it.
  return next !== undefined && DETERMINERS_EN.has(next) && !/(?:s|ing|ed|ly|ion|er)$/.test(word);
}

function hosts(words: readonly string[]): Clause['hosts'] {
  const second = words[1] ?? '';
  if (
    VERBS_EN.has(second) &&
    !NOUNLIKE_EN.has(second) &&
    !/^(?:set|clean|list)$/.test(words[0] ?? '')
  )
    return 'firm';
  let found: Clause['hosts'] = 'no';
  for (let i = 1; i < words.length; i++) {
    const word = words[i] ?? '';
    if (FIRM_HOST.has(word)) return 'firm';
    if (word === 'to' && isVerb(words[i + 1] ?? '', words[i + 2])) return 'firm';
    if (LOOSE_HOST.has(word) && !(word === 'that' && i === 1)) found = 'loose';
  }
  return found;
}

/** Could the clause be the second half of "the build and test scripts"? */
function nounlike(words: readonly string[]): Clause['nounlike'] {
  const [verb = '', next = ''] = words;
  if (!NOUNLIKE_EN.has(verb) || isDeterminer(next)) return 'no';
  const link = VERB_LINK[next];
  if (link) return link.test(verb) ? 'no' : 'likely';
  const preposition = /^(?:of|in|at|from|between|by|with|per|via|as|is|are)$/.test(next);
  return HEADS_EN.has(next) || preposition ? 'likely' : 'maybe';
}

const PREPOSITION =
  /^(?:of|in|on|for|to|at|with|from|by|into|about|as|that|which|and|or|using|so|:)$/;
const PLAIN = /^(?:new|small|simple|short|whole|entire|same)$/;
/** The words of each thing after one of `marks`, up to where the thing ends. */
function thingsAfter(words: readonly string[], marks: RegExp): string[][] {
  const found: string[][] = [];
  words.forEach((word, i) => {
    if (!marks.test(word)) return;
    const after = words.slice(i + 1, i + 5);
    const end = after.findIndex((next) => PREPOSITION.test(next));
    const thing = (end < 0 ? after : after.slice(0, end)).filter((next) => !PLAIN.test(next));
    if (thing.length > 0) found.push(thing);
  });
  return found;
}

function doesOf(verb: string, text: string): Set<VerbKind> {
  const kinds = new Set<VerbKind>(verbKindEn(verb));
  if (SHIP_EN.test(text)) kinds.add('ship');
  if (DELIVER_EN.test(text)) kinds.add('deliver');
  if (DELIVERABLE_EN.test(text)) kinds.add('consume');
  return kinds;
}

function kindOf(text: string, words: readonly string[]): ClauseKind {
  // What begins with a sign is no sentence: markup, code.
  if (!/^[a-z]/.test(text)) return 'plain';
  if (CONDITION.test(text)) return 'condition';
  if (LIMIT_EN.test(text)) return 'limit';
  if (QUESTION.test(text)) return 'question';
  const [verb = '', next] = words;
  if (!isVerb(verb, next)) return 'plain';
  // "Test results are missing": a noun at the beginning of a statement.
  if (NOUNLIKE_EN.has(verb) && !isDeterminer(next) && FINITE.test(text)) return 'plain';
  if (TRAILING_CONDITION.test(text)) return 'condition';
  return 'request';
}

/** The words of the object up to where it ends; empty when it is said what it belongs to ("the text of the footer"). */
function briefObject(words: readonly string[]): string[] {
  const end = words.findIndex((word, i) => i > 0 && PREPOSITION.test(word));
  if (/^(?:of|in|on|from|for|about)$/.test(words[end] ?? '')) return [];
  return words.slice(1, end < 0 ? undefined : end).filter((word) => !LITTLE.test(word));
}

const LITTLE =
  /^(?:a|an|the|my|our|your|of|in|on|for|to|at|with|from|and|or|all|new|please|this|that|its|their)$/;

export function readEnglish(clause: string): Clause {
  const { text, ordered, also, to, lead } = strip(clause);
  const words = [...text.slice(0, 2_000).matchAll(WORD)].map((m) => m[0]);
  const kind = kindOf(text, words);
  const [verb = ''] = words;
  const object = words.slice(1).filter((word) => !LITTLE.test(word) && word !== ':');
  const thing = briefObject(words);
  const last = words.at(-1) ?? '';
  return {
    ...NO_CLAUSE,
    kind,
    verb: kind === 'request' ? verb : '',
    does: doesOf(verb, text),
    object,
    leans: LEANS.test(text) || THIS.test(text) || THAT.test(text),
    ordered: ordered || TRAILING_ORDER.test(text),
    also,
    // "I need you to audit A and to document B": the second "to" says who owns it.
    hosts: to ? 'no' : hosts(words),
    nounlike: nounlike(words),
    introduces: thingsAfter(words, /^(?:an?|new|another)$/),
    refers: thingsAfter(words, /^(?:the|its|their)$/),
    endsVerblike: words.length > 1 && VERBS_EN.has(last) && NOUNLIKE_EN.has(last),
    vague: thing.length === 1 && GENERIC_EN.has(thing[0] ?? ''),
    brief: thing.length === 1 && !(thing[0] ?? '').startsWith(MASK),
    bare: object.length > 0 && words.slice(1).every((word) => RELATIONAL_EN.has(word)),
    short:
      words.length < 2 ||
      (words.length === 2 && /^(?:up|out|off|on|in|down|over|again|please|too)$/.test(last)),
    lead,
  };
}
