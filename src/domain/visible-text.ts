// Text without what people cannot see: control, direction and filler characters that would hide an instruction
// or make text look like other text. Pure; never changes a visible character.
import { wellFormed } from './text.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Whatever a reader is not to see (direction marks, fillers, tags …), but for joiners and the forms of emoji. */
const HIDDEN =
  /(?![\u{fe0e}\u{fe0f}])(?!\p{Join_Control})\p{Default_Ignorable_Code_Point}|[\u{fff9}-\u{fffb}]/gu;
const FORM_AGAIN = /(?<=\p{Variation_Selector})\p{Variation_Selector}+/gu;
/** No script needs more than three in a row; how long such a run is must not decide how long this takes. */
const MANY_JOINERS = /(\p{Join_Control}{3})\p{Join_Control}+/gu;
/** Joiners belong into emoji and into scripts that shape letters; beside Latin text they only hide something. */
const STRAY_JOINER = /(?<!\P{ASCII})\p{Join_Control}+|\p{Join_Control}+(?!\P{ASCII})/gu;

/** Line breaks and tabs stay; line and paragraph separators become line breaks; ends are trimmed. */
export const visibleText = (text: string): string =>
  wellFormed(text)
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(CONTROL, '')
    .replace(HIDDEN, '')
    .replace(FORM_AGAIN, '')
    .replace(MANY_JOINERS, '$1')
    .replace(STRAY_JOINER, '')
    .trim();
