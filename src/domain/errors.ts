// The closed table of error codes and the one error class that carries them.
// Anything that is not an AppError is `internal` at the edge: its text never reaches a caller.

/** `status`: HTTP status. `retryable`: the same call may succeed later. `expose`: the message may be shown. */
export const ERRORS = {
  bad_request: { status: 400, retryable: false, expose: true },
  unauthorized: { status: 401, retryable: false, expose: true },
  forbidden: { status: 403, retryable: false, expose: true },
  not_found: { status: 404, retryable: false, expose: true },
  method_not_allowed: { status: 405, retryable: false, expose: true },
  conflict: { status: 409, retryable: false, expose: true },
  /** What was asked for has been removed for its age. */
  gone: { status: 410, retryable: false, expose: true },
  body_too_large: { status: 413, retryable: false, expose: true },
  unsupported_media_type: { status: 415, retryable: false, expose: true },
  misdirected: { status: 421, retryable: false, expose: true },
  /** The call was not sent: it may cost more than a limit leaves. */
  budget_exceeded: { status: 402, retryable: false, expose: true },
  /** The call was not sent: a limit in USD holds, and the model has no price. */
  price_unknown: { status: 422, retryable: false, expose: true },
  idempotency_mismatch: { status: 422, retryable: false, expose: true },
  unknown_role: { status: 422, retryable: false, expose: true },
  /** An output schema that cannot be used. */
  schema_invalid: { status: 422, retryable: false, expose: true },
  spawn_refused: { status: 422, retryable: false, expose: true },
  /** A decision that does not fit what was asked. */
  decision_invalid: { status: 422, retryable: false, expose: true },
  queue_full: { status: 429, retryable: true, expose: true },
  capacity: { status: 429, retryable: true, expose: true },
  rate_limited: { status: 429, retryable: true, expose: true },
  internal: { status: 500, retryable: false, expose: false },
  shutting_down: { status: 503, retryable: true, expose: true },
  storage_busy: { status: 503, retryable: true, expose: true },
  storage_full: { status: 507, retryable: true, expose: true },
  // failures of role servers, models and tools: data in rows and events more often than HTTP answers
  start_timeout: { status: 500, retryable: true, expose: true },
  start_exited: { status: 500, retryable: true, expose: true },
  start_spawn_failed: { status: 500, retryable: true, expose: true },
  start_bad_ready_line: { status: 500, retryable: true, expose: true },
  start_identity_mismatch: { status: 500, retryable: false, expose: true },
  start_not_ready: { status: 500, retryable: true, expose: true },
  role_parked: { status: 503, retryable: true, expose: true },
  server_crashed: { status: 500, retryable: true, expose: true },
  server_hung: { status: 500, retryable: true, expose: true },
  server_unreachable: { status: 502, retryable: true, expose: true },
  lost: { status: 500, retryable: false, expose: true },
  model_error: { status: 502, retryable: true, expose: true },
  model_timeout: { status: 504, retryable: true, expose: true },
  model_refused: { status: 502, retryable: false, expose: true },
  /** The conversation is too long for the model's context. */
  context_overflow: { status: 502, retryable: false, expose: true },
  empty_answer: { status: 502, retryable: false, expose: true },
  iteration_cap: { status: 500, retryable: false, expose: true },
  no_progress: { status: 500, retryable: false, expose: true },
  /** No sign of progress until the deadline, or the agent said that it cannot go on. */
  blocked: { status: 500, retryable: false, expose: true },
  /** The agent was stopped before a risky action; nothing of it was done. */
  safe_stop: { status: 403, retryable: false, expose: true },
  run_timeout: { status: 504, retryable: false, expose: true },
  cancelled: { status: 409, retryable: false, expose: true },
  config_invalid: { status: 500, retryable: false, expose: true },
  storage_unusable: { status: 500, retryable: false, expose: true },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** One entry of `errors[]` in a problem document: where it is and what is wrong with it. */
export type ErrorItem = { path: string; message: string };

export class AppError extends Error {
  readonly code: ErrorCode;
  /** Small, JSON-safe facts for the caller (numbers, names), shown beside the message. */
  readonly data: Record<string, unknown>;
  readonly errors: ErrorItem[];
  constructor(
    code: ErrorCode,
    message: string,
    extra: { data?: Record<string, unknown>; errors?: ErrorItem[]; cause?: unknown } = {},
  ) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = 'AppError';
    this.code = code;
    this.data = extra.data ?? {};
    this.errors = extra.errors ?? [];
  }
}

/** What a failed task, run or query stores about its failure. `reasons` holds one line per attempt, oldest first. */
export type Failure = { code: ErrorCode; message: string; reasons: string[] };

/** Turns anything thrown into a Failure; text of errors that are not ours is kept only when `trusted`. */
export function toFailure(error: unknown, trusted = true): Failure {
  if (error instanceof AppError)
    return { code: error.code, message: error.message, reasons: [error.message] };
  const text = trusted && error instanceof Error ? error.message : 'internal error';
  return { code: 'internal', message: text, reasons: [text] };
}
