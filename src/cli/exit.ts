// Exit codes of every command, in one table, and the error that carries one.
// docs/cli.md lists the same table; codes never change their meaning.
import type { QueryStatus } from '../domain/query.ts';

export const EXIT = {
  ok: 0,
  /** The query or task failed, a check found problems, or the server refused the request as such. */
  failed: 1,
  usage: 2,
  unreachable: 3,
  /** 401, 403, 421: key missing, wrong or too weak, or the host name is not allowed. */
  refused: 4,
  not_found: 5,
  timed_out: 6,
  degraded: 7,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error whose message is written for the person at the terminal. `hint`: what to do about it. */
export class CliError extends Error {
  readonly exit: ExitCode;
  readonly code: string;
  readonly hint: string | null;
  constructor(exit: ExitCode, code: string, message: string, hint: string | null = null) {
    super(message);
    this.name = 'CliError';
    this.exit = exit;
    this.code = code;
    this.hint = hint;
  }
}

export function exitOfHttp(status: number): ExitCode {
  if (status === 401 || status === 403 || status === 421) return EXIT.refused;
  if (status === 404) return EXIT.not_found;
  if (status === 408 || status === 504) return EXIT.timed_out;
  return EXIT.failed;
}

/** Of a query that has ended; one that has not is no failure. */
export function exitOfQuery(status: QueryStatus): ExitCode {
  if (status === 'failed' || status === 'cancelled') return EXIT.failed;
  return status === 'degraded' ? EXIT.degraded : EXIT.ok;
}
