// What one kind of review must know of itself, and how its decisions are read. Pure.
import { AppError } from '../domain/errors.ts';
import type { Reviewed, ReviewKind } from '../domain/review.ts';

export type Given = Readonly<Record<string, unknown>>;

export type Kind<K extends ReviewKind> = {
  /** One line for people. */
  title(request: Reviewed[K]['request']): string;
  /** What may be decided, in words and as a body: shown with every refusal. */
  allowed(request: Reviewed[K]['request']): string;
  /** The decision as it is stored. Throws with `invalid` when it does not fit. */
  read(request: Reviewed[K]['request'], given: Given): Reviewed[K]['decision'];
  /** It stays in the inbox when its query has come to its own end; a cancelled query takes it along. */
  outlives: boolean;
};

export const invalid = (found: string, allowed: string): AppError =>
  new AppError('decision_invalid', `${found}; allowed: ${allowed}`, { data: { allowed } });

/** Throws when there is a field that nobody reads: it may be the one that was meant. */
export function onlyFields(given: Given, names: readonly string[], allowed: string): void {
  const other = Object.keys(given).find((name) => !names.includes(name));
  if (other !== undefined) throw invalid(`"${other.slice(0, 60)}" is not part of it`, allowed);
}

/** Text of a person, trimmed; null when there is none. */
export function textIn(given: Given, name: string, most: number, allowed: string): string | null {
  const value = given[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw invalid(`"${name}" is not a text`, allowed);
  const text = value.trim();
  if (text.length > most)
    throw invalid(`"${name}" has ${text.length} characters; at most ${most} fit`, allowed);
  return text === '' ? null : text;
}
