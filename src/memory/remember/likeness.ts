// Whether a proposal is one that was rejected before, in the same or in nearly the same words. Pure.

/** Share of three-letter pieces in common (Dice) from which two texts say the same; less is needed for one file. */
const ALIKE = 0.85;
const ALIKE_SAME_FILE = 0.6;
/** Shorter texts are compared whole: a few letters are alike by chance. */
const LEAST = 20;
/** Letters of a note that are compared: who says the same begins alike. */
const COMPARED = 400;

/** Letters and digits alone: case, accents in another form, spacing and punctuation make no difference. */
export const essence = (note: string): string =>
  note
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .slice(0, COMPARED);

type Pieces = { size: number; counts: Map<string, number> };

function piecesOf(text: string): Pieces {
  const counts = new Map<string, number>();
  for (let i = 0; i + 3 <= text.length; i += 1) {
    const piece = text.slice(i, i + 3);
    counts.set(piece, (counts.get(piece) ?? 0) + 1);
  }
  return { size: Math.max(0, text.length - 2), counts };
}

/** 0 to 1. */
function likeness(a: Pieces, b: Pieces): number {
  let common = 0;
  for (const [piece, n] of a.counts) common += Math.min(n, b.counts.get(piece) ?? 0);
  return (2 * common) / (a.size + b.size);
}

/** `essence`: that of the note; empty when there was none and the file itself was proposed. */
export type Refused = { path: string; essence: string };

/** Whether a proposal is one of these again. To be asked for many: what is compared is taken apart once. */
export function refusals(refused: readonly Refused[]): (path: string, note: string) => boolean {
  const known = refused.map((old) => {
    let pieces: Pieces | undefined;
    const taken = (): Pieces => {
      pieces ??= piecesOf(old.essence);
      return pieces;
    };
    return { ...old, taken };
  });
  return (path, note) => {
    const mine = essence(note);
    const pieces = piecesOf(mine);
    return known.some((old) => {
      const one_file = old.path === path;
      if (one_file && (mine === '' || old.essence === '' || mine === old.essence)) return true;
      const least = one_file ? ALIKE_SAME_FILE : ALIKE;
      const long = Math.max(mine.length, old.essence.length);
      const short = Math.min(mine.length, old.essence.length);
      // Texts of very different length cannot be alike: most are told apart without being compared.
      if (short < LEAST || (2 * short) / (short + long) < least) return false;
      return likeness(pieces, old.taken()) >= least;
    });
  };
}
