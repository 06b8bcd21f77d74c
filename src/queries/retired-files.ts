// The files that retention removes: workdirs that the product made, and logs that were turned over. Nothing outside
// of the state folder, nothing through a link, nothing that has another name than the product gives.
import { lstat, readdir, realpath, rm, unlink } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { SESSIONS, WORKDIR_NAME } from './workspace.ts';

const OLD_LOG = /\.log\.\d+$/;

/** Bytes of the regular files below a folder; links count nothing and are not followed. */
async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop())
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) bytes += (await lstat(path).catch(() => null))?.size ?? 0;
    }
  return bytes;
}

export function createRetiredFiles(state_dir: string) {
  const state = resolve(state_dir);
  const sessions = (): Promise<string | null> => realpath(join(state, SESSIONS)).catch(() => null);

  return {
    sessions,
    /** Name of the folder of the product's own in which a workdir lies, or null: not ours. */
    ownFolder(base: string, workdir: string): string | null {
      const inside = relative(base, workdir);
      const name = inside.split(sep, 1)[0] ?? '';
      return WORKDIR_NAME.test(name) ? name : null;
    },
    /** Names of folders of the product's own that were last changed before that time. */
    async oldFolders(base: string, before: Date): Promise<string[]> {
      const old: string[] = [];
      for (const name of await readdir(base).catch(() => [])) {
        if (!WORKDIR_NAME.test(name)) continue;
        const stat = await lstat(join(base, name)).catch(() => null);
        if (stat?.isDirectory() && stat.mtime < before) old.push(name);
      }
      return old;
    },
    /** Bytes that it held; null: there is none (a link counts as none), or it could not be removed. */
    async removeFolder(base: string, name: string, dry_run: boolean): Promise<number | null> {
      const path = join(base, name);
      const stat = await lstat(path).catch(() => null);
      if (!stat?.isDirectory()) return null;
      const bytes = await bytesBelow(path);
      if (dry_run) return bytes;
      return rm(path, { recursive: true, force: true }).then(
        () => bytes,
        () => null,
      );
    },
    /** Logs of role servers that were turned over before that time. */
    async removeOldLogs(
      before: Date,
      dry_run: boolean,
    ): Promise<{ removed: number; bytes: number }> {
      const found = { removed: 0, bytes: 0 };
      const folder = join(state, 'logs');
      if (!(await lstat(folder).catch(() => null))?.isDirectory()) return found;
      for (const name of await readdir(folder)) {
        const path = join(folder, name);
        const stat = OLD_LOG.test(name) ? await lstat(path).catch(() => null) : null;
        if (!stat?.isFile() || stat.mtime >= before) continue;
        if (!dry_run && (await unlink(path).catch(() => 'kept')) === 'kept') continue;
        found.removed += 1;
        found.bytes += stat.size;
      }
      return found;
    },
  };
}
export type RetiredFiles = ReturnType<typeof createRetiredFiles>;
