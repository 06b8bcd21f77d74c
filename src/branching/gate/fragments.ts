// Cuts a request wherever one piece of work could end and the next begin. Cuts too often on purpose: whoever reads the
// fragments puts together again what belongs together. One pass over the text.

/** What stands between two fragments; several may come together (", and"). */
export type Joint = {
  /** Strongest first: end of a line, of a sentence, a semicolon, a comma. */
  line: boolean;
  sentence: boolean;
  semicolon: boolean;
  comma: boolean;
  /** A word that joins: and, 그리고, 并且. */
  word: boolean;
  /** A word that more often joins nouns: 和, 及. */
  loose: boolean;
  /** The Korean ending -고. */
  chain: boolean;
  /** A word of order: then. */
  order: boolean;
};
export type Fragment = { start: number; end: number; joint: Joint };

export const NO_JOINT: Joint = {
  line: false,
  sentence: false,
  semicolon: false,
  comma: false,
  word: false,
  loose: false,
  chain: false,
  order: false,
};
/** Nothing before it in its sentence. */
export const isBoundary = (joint: Joint): boolean =>
  joint.line || joint.sentence || joint.semicolon;

const HANGUL = '\\p{Script=Hangul}';
const CJK = `\\p{Script=Han}${HANGUL}`;

const WORDS_EN = '(?:and|plus|&|\\+|as\\s{1,2}well\\s{1,2}as)';
const WORDS_KO = '(?:그리고|또한|동시에|아울러|더불어|추가로|추가적으로|게다가|별도로)';
const WORDS_ZH = [
  '并且',
  '(?<![与此不])同时(?![期性间代])',
  '另外(?![一两三几的])',
  '此外',
  '顺便',
  '以及(?!其)',
  '(?<![合吞兼一火])并(?![且非且没发行列入存联购排集未无举重肩网])',
  '(?<![而况姑暂尚苟并])且(?![慢说不])',
  '(?<=[,，]\\s?)(?:也|还|还要|还有)',
].join('|');
const LOOSE_ZH = '(?<![共饱温总平柔缓暖])和(?![平谐解睦弦尚服])|(?<![涉普提以])及(?![时格其早])';

const CUTS = new RegExp(
  [
    `(?<sentence>(?<!\\b(?:e\\.g|i\\.e|vs|mr|mrs|dr|approx))\\.(?=\\s|$|[${HANGUL}])|[!?…](?=\\s|$|[${CJK}])|。)`,
    '(?<line>\\n)',
    '(?<semicolon>;)',
    '(?<comma>[,，、])',
    `(?<word>(?<=[\\s,;.!?)\\uE000])${WORDS_EN}(?=\\s)|(?<=[\\s,.!?])${WORDS_KO}(?=[\\s,])|${WORDS_ZH})`,
    `(?<loose>${LOOSE_ZH})`,
    `(?<chain>(?<=${HANGUL})고(?=[\\s,]))`,
    '(?<order>(?<=[\\s,;])then(?=[\\s,]))',
  ].join('|'),
  'gu',
);

/**
 * `read`: folded and masked. The fragments are in order; what is between them is their joint. Stops after `most`, so
 * that a longer answer says that there are more.
 */
export function fragmentsOf(read: string, most: number): Fragment[] {
  const found: Fragment[] = [];
  let start = 0;
  let joint: Joint = NO_JOINT;
  const close = (end: number): void => {
    if (/\S/.test(read.slice(start, end))) {
      found.push({ start, end, joint });
      joint = NO_JOINT;
    }
  };
  for (const match of read.matchAll(CUTS)) {
    if (found.length > most) return found;
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    // The words of Korean and Chinese, and the ending -고, stay with their clause: it reads them itself.
    const stays = /^[^a-z&+\s]/.test(match[0]) && (kind === 'word' || kind === 'chain');
    const after = match.index + match[0].length;
    close(kind === 'chain' ? after : match.index);
    if (kind !== undefined) joint = { ...joint, [kind]: true };
    start = stays && kind === 'word' ? match.index : after;
  }
  close(read.length);
  return found;
}
