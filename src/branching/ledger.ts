// What a branching was expected to take, what it took, and what one agent alone would have taken. Pure arithmetic.
// Times in milliseconds, tokens as input plus output. Estimates are named as such wherever they are shown.

/** The measured work of a parent before it decides: its model steps so far. */
export type SoFar = { steps: number; ms: number; tokens: number };

export type Prediction = {
  /** One agent, one part after the other. */
  serial_ms: number;
  serial_tokens: number;
  /** As branches: the slowest of them, their start and the reading of their results. */
  branched_ms: number;
  branched_tokens: number;
};

/** Model steps of a part when nothing is known of earlier ones. */
const STEPS_OF_PART = 6;
/** A branch starts a process and reads its description; its parent reads the result and answers once more. */
const START_MS = 500;
const EXTRA_STEPS = 2;

/** `waits`: for each branch the branches it waits for. `usual_steps`: median of earlier branches, if there are any. */
export function predict(
  soFar: SoFar,
  waits: readonly (readonly number[])[],
  usual_steps: number | null = null,
): Prediction {
  const per = Math.max(1, soFar.steps);
  const step_ms = soFar.ms / per;
  const step_tokens = soFar.tokens / per;
  const steps = usual_steps ?? STEPS_OF_PART;
  const count = waits.length;
  const ends: number[] = [];
  for (const after of waits)
    ends.push(Math.max(0, ...after.map((i) => ends[i] ?? 0)) + START_MS + steps * step_ms);
  return {
    serial_ms: Math.round(count * steps * step_ms),
    serial_tokens: Math.round(count * steps * step_tokens),
    branched_ms: Math.round(Math.max(0, ...ends) + EXTRA_STEPS * step_ms),
    branched_tokens: Math.round((count * (steps + 1) + EXTRA_STEPS) * step_tokens),
  };
}

/** One branch as it was. `base_tokens`: what its first call read that its parent had read already (prompt, request). */
export type Ran = {
  started_ms: number;
  ended_ms: number;
  tokens: number;
  base_tokens: number;
  steps: number;
};

export type PayOff = {
  real_ms: number;
  real_tokens: number;
  /** Estimates: the branches after each other in one agent, without what each of them had to read anew. */
  serial_ms: number;
  serial_tokens: number;
  /** Positive: branching was faster, or cheaper. */
  saved_ms: number;
  saved_tokens: number;
};

/** `merge`: what the parent needed to read the results and to answer. */
export function payOff(branches: readonly Ran[], merge: { ms: number; tokens: number }): PayOff {
  const began = Math.min(...branches.map((b) => b.started_ms));
  const ended = Math.max(...branches.map((b) => b.ended_ms));
  const real_ms = branches.length === 0 ? merge.ms : ended - began + merge.ms;
  const real_tokens = branches.reduce((sum, b) => sum + b.tokens, merge.tokens);
  const serial_ms = branches.reduce((sum, b) => sum + (b.ended_ms - b.started_ms), 0);
  const serial_tokens = branches.reduce(
    (sum, b) => sum + Math.max(0, b.tokens - b.base_tokens * Math.max(1, b.steps)),
    0,
  );
  return {
    real_ms,
    real_tokens,
    serial_ms,
    serial_tokens,
    saved_ms: serial_ms - real_ms,
    saved_tokens: serial_tokens - real_tokens,
  };
}

/** One settled decision of the past that branched: its ratio score and the time it saved (negative: lost). */
export type Settled = { score: number; saved_ms: number };

export type Suggestion = { threshold: number; saved_ms: number; of: number } | null;

/** Fewer say nothing. */
const LEAST_SETTLED = 5;

/**
 * The threshold that would have saved the most time, had it stood before these decisions; the highest of equals, for a
 * branching that brings nothing costs tokens. Null while there is too little to judge by.
 */
export function suggestThreshold(settled: readonly Settled[]): Suggestion {
  if (settled.length < LEAST_SETTLED) return null;
  const byScore = [...settled].sort((a, b) => b.score - a.score);
  const none = { threshold: 1, saved_ms: 0, of: settled.length };
  let best = none;
  let saved_ms = 0;
  byScore.forEach(({ score, saved_ms: own }, i) => {
    saved_ms += own;
    // Decisions of the same score fall on the same side of every threshold.
    if (byScore[i + 1]?.score === score) return;
    if (saved_ms > best.saved_ms) best = { threshold: score, saved_ms, of: settled.length };
  });
  return best;
}
