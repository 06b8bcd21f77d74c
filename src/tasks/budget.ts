// The one budget of a task: crashes of its own making, model retries and alternates together.

export const ATTEMPT_BUDGET = 6;
