// How sure one may be of a proposal, and why: mostly by what stands in the file. Pure.
import { worthOf } from '../../domain/file-worth.ts';

export type Signs = {
  path: string;
  size: number;
  /** Claims that the file bears out, and all that were made. */
  stands: number;
  claims: number;
  /** What the agent itself says, 0 to 1. */
  said: number | null;
  has_note: boolean;
  /** The agent did not answer in the agreed form: its file was picked out of its prose. */
  from_prose: boolean;
};

const BEST_WORTH = 120;

/** `confidence`: 0 to 1, two digits. */
export function confidenceOf(signs: Signs): { confidence: number; why: string[] } {
  const { stands, claims, said } = signs;
  const missing = claims - stands;
  const { score, kind } = worthOf(signs.path, signs.size);
  const parts: [number, string][] = [
    [0.2, ''],
    claims === 0
      ? [0, 'it quotes nothing from the file']
      : [
          (0.4 * stands) / claims - 0.1 * Math.min(2, missing),
          missing === 0
            ? `the file says what it quotes (${stands} of ${claims})`
            : `${missing} of ${claims} quotes do not stand in the file`,
        ],
    [(0.2 * Math.max(0, score)) / BEST_WORTH, kind],
    said === null ? [0.1, ''] : [0.2 * said, `the agent itself says ${said}`],
    signs.has_note ? [0, ''] : [-0.1, 'there is no note: the file itself would be remembered'],
    signs.from_prose ? [-0.2, 'it was named in prose, not proposed in the agreed form'] : [0, ''],
    score < 0 ? [-0.3, 'files of this kind are seldom worth it'] : [0, ''],
  ];
  const sum = parts.reduce((total, [n]) => total + n, 0);
  const confidence = Math.round(Math.min(1, Math.max(0, sum)) * 100) / 100;
  return { confidence, why: parts.map(([, why]) => why).filter((why) => why !== '') };
}
