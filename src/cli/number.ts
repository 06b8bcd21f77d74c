// Whole numbers of options: read whole, within bounds; anything else is wrong usage.
import { InvalidArgumentError } from 'commander';

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`a whole number from ${least} to ${most} is needed.`);
  };

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
/** `30d`, `12h`, `90m`, `45s`, `2w`, in seconds; at most ten years. */
export function age(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const value = Number(digits) * (UNITS[unit] ?? Number.NaN);
  if (digits !== '' && value <= 315_576_000) return value;
  throw new InvalidArgumentError('a whole number with a unit is needed: 30d, 12h, 90m or 45s.');
}

/** For `--limit`. */
export const rowLimit = wholeNumber(1, 100_000);
/** Seconds of a wait; the most that a timer can hold is 24 days. */
export const seconds = wholeNumber(1, 2_000_000);
/** For `--max-tokens`. */
export const tokenLimit = wholeNumber(1, 1_000_000_000_000);
/** USD, for `--max-usd`. */
export function amount(text: string): number {
  const value = /^\d{1,7}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value <= 1_000_000) return value;
  throw new InvalidArgumentError('an amount in USD above 0 is needed, such as 2.50.');
}
