// What a piece of a sentence is, as far as splitting a request needs it. The same words for every language.

/**
 * `request`: asks for work. `limit`: says how work is to be done, or what not to do. `condition`: work that hangs on
 * something. `question`: asks for an answer. `plain`: anything else.
 */
export type ClauseKind = 'request' | 'limit' | 'condition' | 'question' | 'plain';

/**
 * What the verb does with other work; a verb may do several. `prepare`: makes ready what the next step uses (download,
 * read). `consume`: uses what is there (print, install). `ship`: comes when everything else is done (deploy, run the
 * tests). `create`: makes something new. `deliver`: says what to hand over at the end (show me).
 */
export type VerbKind = 'prepare' | 'consume' | 'ship' | 'create' | 'deliver';

export type ClauseLanguage = 'en' | 'ko' | 'zh';

export type Clause = {
  language: ClauseLanguage;
  kind: ClauseKind;
  /** The verb as the lexicon has it; empty when the clause is no request. */
  verb: string;
  does: ReadonlySet<VerbKind>;
  /** Words of what the verb works on, in order. */
  object: string[];
  /** Leans on what was said before: it cannot be done on its own. */
  leans: boolean;
  /** Begins with a word of order: then, 먼저, 先. */
  ordered: boolean;
  /** Begins with a word that adds work: also, 또한, 另外. */
  also: boolean;
  /** Has an inner clause that may own what follows: `firm` whatever joins it, `loose` after a mere "and". */
  hosts: 'no' | 'loose' | 'firm';
  /** Could be a noun: `likely` before another noun ("search bar", 下载功能), `maybe` where nothing says otherwise. */
  nounlike: 'no' | 'maybe' | 'likely';
  /** The last word could be a verb and a noun: "the build" in "the build and test scripts". */
  endsVerblike: boolean;
  /** Things that it brings up ("a parser") and things that it takes as known ("the parser"). */
  introduces: string[][];
  refers: string[][];
  /** The object is a word that only says what to add to another thing: tests, docs. */
  bare: boolean;
  /** The object is one word that fits any work: the code, the file. */
  vague: boolean;
  /** The object is one word: what it belongs to is left to the words before. */
  brief: boolean;
  /** Too short to stand alone. */
  short: boolean;
  /** Ends in a form that joins it to the next verb (Korean -고). */
  chained: boolean;
  /** Characters at its beginning that only join it to what came before. */
  lead: number;
};

export const NO_CLAUSE: Clause = {
  language: 'en',
  kind: 'plain',
  verb: '',
  does: new Set(),
  object: [],
  leans: false,
  ordered: false,
  also: false,
  hosts: 'no',
  nounlike: 'no',
  endsVerblike: false,
  introduces: [],
  refers: [],
  bare: false,
  vague: false,
  brief: false,
  short: true,
  chained: false,
  lead: 0,
};

/** The words of a list that is written as text. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Without the characters of `edge` at the end. A loop: a pattern would try every run of them anew. */
export function trimEnd(text: string, edge: RegExp): string {
  let end = text.length;
  while (end > 0 && edge.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}
