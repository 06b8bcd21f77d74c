import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isRetryable,
  LONGEST_PAUSE_MS,
  pause,
  pauseBefore,
  retryAfterMs,
} from '../../src/resilience/retry.ts';

const now = new Date('2030-01-01T00:00:00Z');

describe('isRetryable', () => {
  it.each([
    [null, true],
    [408, true],
    [409, true],
    [429, true],
    [500, true],
    [503, true],
    [529, true],
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [413, false],
    [422, false],
  ])('%s: %s', (status, expected) => {
    expect(isRetryable(status)).toBe(expected);
  });
});

describe('retryAfterMs', () => {
  it.each([
    ['2', 2000],
    ['0', 0],
    [' 1.5 ', 1500],
    ['Tue, 01 Jan 2030 00:00:30 GMT', 30_000],
    ['Mon, 31 Dec 2029 23:59:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['', null],
    [null, null],
  ])('%j is %s', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});

describe('pauseBefore', () => {
  it('is at least what was asked for, plus a bounded extra', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: LONGEST_PAUSE_MS }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (asked, random) => {
          const ms = pauseBefore(1, asked, () => random) ?? -1;
          expect(ms).toBeGreaterThanOrEqual(asked);
          expect(ms).toBeLessThanOrEqual(asked * 1.25 + 200);
        },
      ),
    );
  });
  it('grows from try to try when nothing was asked for', () => {
    expect([1, 2, 3].map((n) => pauseBefore(n, null, () => 0))).toEqual([500, 1000, 2000]);
  });
  it('gives up rather than wait for an hour', () => {
    expect(pauseBefore(1, 3_600_000, () => 0)).toBeNull();
  });
});

describe('pause', () => {
  it('ends at once, and says so, when it is aborted', async () => {
    const stop = new AbortController();
    const waiting = pause(1e9, stop.signal);
    stop.abort();
    expect(await waiting).toBe(false);
    expect(await pause(1e9, stop.signal)).toBe(false);
    expect(await pause(0, new AbortController().signal)).toBe(true);
  });
});
