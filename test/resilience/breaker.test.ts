import { describe, expect, it } from 'vitest';
import {
  breakerState,
  closedBreaker,
  mayCall,
  onCall,
  onFailure,
  onNoVerdict,
  onSuccess,
  opensIn,
} from '../../src/resilience/breaker.ts';

const failedAt = (...times: number[]) => times.reduce((b, at) => onFailure(b, at), closedBreaker);

describe('breaker', () => {
  it('opens at the third failure in a row, not before', () => {
    expect(breakerState(failedAt(0, 1), 2)).toBe('closed');
    expect(breakerState(failedAt(0, 1, 2), 2)).toBe('open');
    expect(mayCall(failedAt(0, 1, 2), 3)).toBe(false);
    expect(opensIn(failedAt(0, 1, 2), 100_002)).toBe(200_000);
  });
  it('starts to count anew after a success', () => {
    expect(breakerState(onFailure(onSuccess(), 5), 5)).toBe('closed');
  });
  it('lets exactly one trial through after 300 s', () => {
    const open = failedAt(0, 0, 0);
    expect(breakerState(open, 299_999)).toBe('open');
    expect(breakerState(open, 300_000)).toBe('half_open');
    const trial = onCall(open, 300_000);
    expect(mayCall(trial, 300_001)).toBe(false);
    expect(mayCall(onNoVerdict(trial), 300_001)).toBe(true);
  });
  it('opens again for 300 s when the trial fails, closes when it succeeds', () => {
    const trial = onCall(failedAt(0, 0, 0), 300_000);
    expect(breakerState(onFailure(trial, 300_010), 600_009)).toBe('open');
    expect(breakerState(onFailure(trial, 300_010), 600_010)).toBe('half_open');
    expect(breakerState(onSuccess(), 300_010)).toBe('closed');
  });
  it('does not wait for ever for a trial that was lost', () => {
    const trial = onCall(failedAt(0, 0, 0), 300_000);
    expect(mayCall(trial, 600_000)).toBe(true);
  });
  it('lets a closed breaker be as it is when a call goes out', () => {
    expect(onCall(closedBreaker, 7)).toBe(closedBreaker);
  });
});
