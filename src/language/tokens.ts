// Words of a text for matching and search. Chinese and Korean runs become overlapping pairs, since
// they are written without spaces or with particles: a two-character word is always found.

const RUN =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{N}_]+/gu;
const CJK = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const MIXED =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]+|[^\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;

/** Lower-cased words in order, with repetitions; CJK as bigrams, a lone CJK character as itself. */
export function tokens(text: string): string[] {
  const found: string[] = [];
  for (const [run] of text.normalize('NFC').toLowerCase().matchAll(RUN))
    for (const [piece] of run.matchAll(MIXED)) {
      if (!CJK.test(piece)) {
        found.push(piece);
        continue;
      }
      const chars = [...piece];
      if (chars.length === 1) found.push(piece);
      for (let i = 0; i + 1 < chars.length; i++) found.push(`${chars[i]}${chars[i + 1]}`);
    }
  return found;
}
