// The API key of a container: made at its first start, in the state folder, readable by its owner only.
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { newToken } from '../domain/ids.ts';
import { ensureFolder, notWritable } from './state-folder.ts';

/**
 * When TROUPE_API_KEY_FILE names a file inside the state folder that does not exist yet, makes it (mode 0600) and
 * answers its path; else null. A missing file anywhere else stays an error of the configuration.
 */
export function ensureKeyFile(env: Record<string, string | undefined>, cwd: string): string | null {
  const file = env.TROUPE_API_KEY_FILE;
  const state = env.TROUPE_STATE_DIR;
  if (!file || !state) return null;
  const path = resolve(cwd, file);
  const inside = relative(resolve(cwd, state), path);
  if (inside.startsWith('..') || isAbsolute(inside) || existsSync(path)) return null;
  ensureFolder(dirname(path));
  try {
    writeFileSync(path, `${newToken()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw notWritable(path, error);
  }
  return join(path);
}
