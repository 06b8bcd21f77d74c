// Whole numbers of options: read whole, within bounds; anything else is wrong usage.
import { InvalidArgumentError } from 'commander';

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`a whole number from ${least} to ${most} is needed.`);
  };

/** For `--limit`. */
export const rowLimit = wholeNumber(1, 100_000);
/** Seconds of a wait; the most that a timer can hold is 24 days. */
export const seconds = wholeNumber(1, 2_000_000);
