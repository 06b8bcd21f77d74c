// The rules of every kind. A new kind is one file and one line here.
import type { Review, Reviewed, ReviewKind } from '../domain/review.ts';
import { approval } from './approval.ts';
import type { Given, Kind } from './kind.ts';
import { memory } from './memory.ts';
import { question } from './question.ts';

const KINDS: { [K in ReviewKind]: Kind<K> } = { question, approval, memory };

/** The table holds for each kind the rules of that kind: which one it is, the row says. */
const rulesOf = (kind: ReviewKind): Kind<ReviewKind> => KINDS[kind] as Kind<ReviewKind>;

export const titleOf = ({ kind, request }: Pick<Review, 'kind' | 'request'>): string =>
  rulesOf(kind).title(request as never);
/** What may be decided, in words. */
export const allowedOf = ({ kind, request }: Review): string =>
  rulesOf(kind).allowed(request as never);
/** Throws AppError decision_invalid, which says what is allowed. */
export const readDecision = (
  { kind, request }: Review,
  given: Given,
): Reviewed[ReviewKind]['decision'] => rulesOf(kind).read(request as never, given);
export const outlives = (kind: ReviewKind): boolean => rulesOf(kind).outlives;
