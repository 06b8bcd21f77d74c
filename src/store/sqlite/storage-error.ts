// What an error of SQLite or of its driver means for the caller. Pure; never hides an error it does not know.
import { dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
/** The disk gave out under the whole transaction: nothing of it can be kept. */
export const isFull = (error: unknown): boolean => /^SQLITE_(FULL|IOERR)/.test(codeOf(error));

/** Errors of statements and commits. Constraint violations and other people's errors pass unchanged. */
export function toStorageError(error: unknown, file: string): unknown {
  if (isFull(error))
    return new AppError(
      'storage_full',
      `nothing was stored: the disk under ${dirname(file)} is full or failing (${textOf(error)}); free some space, then try again`,
      { cause: error },
    );
  if (isBusy(error))
    return new AppError(
      'storage_busy',
      `nothing was stored: another program holds a lock on ${file}; try again, and close whatever has the file open`,
      { cause: error },
    );
  if (/^SQLITE_(CANTOPEN|NOMEM)/.test(codeOf(error)))
    return new AppError(
      'storage_busy',
      `nothing was stored: a file or memory that ${file} needs could not be had (${textOf(error)}); try again, and raise the limit of open files if this stays`,
      { cause: error },
    );
  if (/^SQLITE_(CORRUPT|NOTADB|READONLY)/.test(codeOf(error))) return toOpenError(error, file);
  return error;
}

const unusable = (message: string, cause: unknown): AppError =>
  new AppError('storage_unusable', message, { cause });

/** Errors of opening. Always storage_unusable with the next step in its text. */
export function toOpenError(error: unknown, file: string): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const text = textOf(error);
  if (code === 'ERR_DLOPEN_FAILED' || /bindings file|better_sqlite3\.node/.test(text))
    return unusable(
      'the native part of better-sqlite3 is missing or does not fit this Node.js: run `npm rebuild better-sqlite3` ' +
        '(and allow its install script if npm blocks scripts)',
      error,
    );
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return unusable(
      `${file} is damaged or not an SQLite database (${text}); it was left as it is. Restore a copy, or move it away to start empty`,
      error,
    );
  if (isBusy(error))
    return unusable(
      `${file} is locked by another program (${text}); close it, then start again`,
      error,
    );
  return unusable(
    `${file} cannot be opened for writing (${code || text}); check that the folder ${dirname(file)} exists, is writable and has free space`,
    error,
  );
}
