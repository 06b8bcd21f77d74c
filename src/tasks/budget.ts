// The budgets of a task. Attempts: crashes of its own making, model retries and alternates together. Model steps: a
// share of those of the agent that started it. Pure.

export const ATTEMPT_BUDGET = 6;

/** Half of the agent above, at least `least`, never more than that agent has. */
export const childIterations = (above: number, least: number): number =>
  Math.min(above, Math.max(least, Math.floor(above / 2)));

/** `own`: what its role sets, or null. */
export const iterationsOf = (own: number | null, above: number, least: number): number =>
  own === null ? childIterations(above, least) : Math.min(above, own);
