// Compares bearer tokens in constant time. Never logs or stores what was presented.
import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Answers whether an Authorization header carries this token. */
export function bearerCheck(token: string): (header: string | undefined) => boolean {
  const expected = digest(token);
  return (header) =>
    header?.startsWith('Bearer ') === true && timingSafeEqual(digest(header.slice(7)), expected);
}

export const bearerOf = (header: string | undefined): string | null =>
  header?.startsWith('Bearer ') === true ? header.slice(7) : null;

/** Equal texts, in a time that does not depend on where they differ. */
export const sameSecret = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
