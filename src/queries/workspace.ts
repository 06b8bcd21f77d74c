// The working folders of queries: a new one under the state folder, or one that the operator allows by name.
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { isInside } from '../tools/files/confine.ts';

export type Workspace = {
  /** Names a new folder `query_sessions/<stamp>[_NN]`, never the same twice; `make` makes it when it is needed. */
  fresh(now: Date): string;
  make(path: string): void;
  /** A folder that a caller named. AppError bad_request unless it lies in a workspace root. */
  named(path: string): string;
};

const two = (n: number): string => String(n).padStart(2, '0');
const stampOf = (d: Date): string =>
  `${d.getFullYear()}${two(d.getMonth() + 1)}${two(d.getDate())}_${two(d.getHours())}${two(d.getMinutes())}${two(d.getSeconds())}`;
/** Name of a folder that `fresh` gives. */
export const WORKDIR_NAME = /^(\d{8}_\d{6})(?:_(\d+))?$/;
/** Under the state folder: what holds them. */
export const SESSIONS = 'query_sessions';

/** `newest`: workdir of the newest query of the runs before, or null: names go on behind it. */
export function createWorkspace(
  state_dir: string,
  roots: readonly string[],
  newest: string | null,
): Workspace {
  const sessions = join(resolve(state_dir), SESSIONS);
  mkdirSync(sessions, { recursive: true, mode: 0o700 });
  const base = realpathSync(sessions);
  const [, stamp = '', n = '0'] = WORKDIR_NAME.exec(basename(newest ?? '')) ?? [];
  // The number of the next name within its second.
  let last = { stamp, n: stamp ? Number(n) + 1 : 0 };
  return {
    fresh(now) {
      const now_stamp = stampOf(now);
      // A clock that is set back does not bring old names back.
      if (now_stamp > last.stamp) last = { stamp: now_stamp, n: 0 };
      for (;;) {
        const name = last.n === 0 ? last.stamp : `${last.stamp}_${two(last.n)}`;
        last.n += 1;
        const path = join(base, name);
        if (!existsSync(path)) return path;
      }
    },
    make(path) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
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
