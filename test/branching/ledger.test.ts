import { describe, expect, it } from 'vitest';
import { payOff, predict, suggestThreshold } from '../../src/branching/index.ts';

describe('a prediction', () => {
  const soFar = { steps: 2, ms: 4_000, tokens: 2_000 };
  it('of independent branches: as long as one of them, more tokens than one agent', () => {
    // 6 steps of 2 s and 1,000 tokens for each part; half a second of start, two steps more for the parent
    expect(predict(soFar, [[], [], []])).toEqual({
      serial_ms: 36_000,
      serial_tokens: 18_000,
      branched_ms: 16_500,
      branched_tokens: 23_000,
    });
  });

  it('of branches that wait for each other: as long as the chain', () => {
    const { branched_ms, serial_ms } = predict(soFar, [[], [0], [1]]);
    expect(branched_ms).toBe(3 * 12_500 + 4_000);
    expect(branched_ms).toBeGreaterThan(serial_ms);
  });

  it('goes by what earlier branches took', () => {
    expect(predict(soFar, [[], []], 3).serial_ms).toBe(12_000);
  });
});

describe('the pay-off', () => {
  it('compares what it took with one agent doing the same after each other', () => {
    const branches = [
      { started_ms: 1_000, ended_ms: 21_000, tokens: 9_000, base_tokens: 500, steps: 4 },
      { started_ms: 1_500, ended_ms: 31_000, tokens: 12_000, base_tokens: 500, steps: 6 },
    ];
    expect(payOff(branches, { ms: 3_000, tokens: 2_000 })).toEqual({
      real_ms: 33_000,
      real_tokens: 23_000,
      serial_ms: 49_500,
      serial_tokens: 16_000,
      saved_ms: 16_500,
      saved_tokens: -7_000,
    });
  });

  it('shows a loss as a loss', () => {
    const one = { started_ms: 0, ended_ms: 1_000, tokens: 100, base_tokens: 0, steps: 1 };
    expect(payOff([one, one], { ms: 5_000, tokens: 10 }).saved_ms).toBe(-4_000);
  });
});

describe('a suggested threshold', () => {
  it('lets the decisions pass that saved time, and no others', () => {
    const settled = [
      { score: 0.31, saved_ms: -4_000 },
      { score: 0.33, saved_ms: -2_000 },
      { score: 0.4, saved_ms: 5_000 },
      { score: 0.5, saved_ms: 9_000 },
      { score: 0.6, saved_ms: 1_000 },
    ];
    expect(suggestThreshold(settled)).toEqual({ threshold: 0.4, saved_ms: 15_000, of: 5 });
  });

  it('is 1 when branching never paid', () => {
    const settled = [0.3, 0.4, 0.5, 0.6, 0.7].map((score) => ({ score, saved_ms: -1 }));
    expect(suggestThreshold(settled)?.threshold).toBe(1);
  });

  it('keeps decisions of one score together', () => {
    const settled = [5, 5, -30, 5, 5].map((saved_ms) => ({ score: 0.4, saved_ms }));
    expect(suggestThreshold(settled)?.threshold).toBe(1);
  });

  it('is silent while there is too little to judge by', () => {
    expect(suggestThreshold([{ score: 0.4, saved_ms: 9 }])).toBeNull();
  });
});
