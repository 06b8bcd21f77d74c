// A start that failed: one clear text for a person, no stack trace, a code that is not zero.
import { AppError } from '../domain/errors.ts';

export function exitOnFailure(error: unknown): void {
  const text =
    error instanceof AppError
      ? error.message
      : `troupe could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  process.stderr.write(`${text}\n`, () => process.exit(1));
}
