// The working folders of queries: a new one under the state folder, or one that the operator allows by name.
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { isInside } from '../tools/files/confine.ts';

export type Workspace = {
  /** Makes a new, empty folder `query_sessions/<stamp>[_NN]`; two queries in one second differ. */
  fresh(now: Date): string;
  /** A folder that a caller named. AppError bad_request unless it lies in a workspace root. */
  named(path: string): string;
};

const two = (n: number): string => String(n).padStart(2, '0');
const stampOf = (d: Date): string =>
  `${d.getFullYear()}${two(d.getMonth() + 1)}${two(d.getDate())}_${two(d.getHours())}${two(d.getMinutes())}${two(d.getSeconds())}`;

export function createWorkspace(state_dir: string, roots: readonly string[]): Workspace {
  const sessions = join(resolve(state_dir), 'query_sessions');
  mkdirSync(sessions, { recursive: true, mode: 0o700 });
  const base = realpathSync(sessions);
  // Where the search for a free name starts within a second.
  let last = { stamp: '', n: 0 };
  return {
    fresh(now) {
      const stamp = stampOf(now);
      if (last.stamp !== stamp) last = { stamp, n: 0 };
      for (;;) {
        const path = join(base, last.n === 0 ? stamp : `${stamp}_${two(last.n)}`);
        last.n += 1;
        try {
          mkdirSync(path, { mode: 0o700 });
          return path;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        }
      }
    },
    named(path) {
      if (roots.length === 0)
        throw new AppError(
          'bad_request',
          'workdir is refused: no workspace_roots are configured; leave workdir out to get a new folder',
        );
      if (!isAbsolute(path))
        throw new AppError('bad_request', `workdir "${path}" is relative; give an absolute path`);
      const real = realOf(path);
      if (!real || !statSync(real).isDirectory())
        throw new AppError('bad_request', `workdir "${path}" is not an existing folder`);
      const inside = roots.some((root) => {
        const base = realOf(root);
        return base !== null && isInside(base, real);
      });
      if (!inside)
        throw new AppError(
          'forbidden',
          `workdir "${path}" is outside the workspace roots: ${roots.join(', ')}`,
        );
      return real;
    },
  };
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
