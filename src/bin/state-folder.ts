// The state folder and what a start writes into it: made when it is missing, readable by its owner only.
// Where that cannot be done the person who starts reads a sentence.
import { mkdirSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';

export function ensureFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notWritable(folder, error);
  }
}

export function notWritable(path: string, error: unknown): AppError {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  const why =
    code === 'EEXIST' || code === 'ENOTDIR'
      ? 'a file is where a folder has to be'
      : `error ${code}`;
  return new AppError(
    'storage_unusable',
    `${path} cannot be written (${why}); make it writable for this user, or choose another state folder with TROUPE_STATE_DIR or --state-dir`,
    { cause: error },
  );
}
