// The parts that branches are made of. An open gate names them; `always` also takes what a closed gate left together.
import type { BranchMode } from '../domain/query.ts';
import { splitRequest, splitSentences } from '../language/split.ts';
import type { GateVerdict } from './gate/verdict.ts';

/** Never parts of a sequence: their order is not given up, whoever asks for branches. */
export function partsFor(request: string, gate: GateVerdict, mode: BranchMode): string[] {
  if (gate.open) return gate.parts;
  if (mode !== 'always' || gate.mode === 'sequential') return [];
  const whole = splitRequest(request);
  if (whole.how === 'list') return whole.parts;
  const sentences = splitSentences(request).map((sentence) => splitRequest(sentence));
  if (whole.how === 'sequence' || sentences.some(({ how }) => how === 'sequence')) return [];
  return sentences.flatMap(({ parts }) => parts);
}
