// Writing a file: parents are opened one by one, the new text goes into a temporary file beside the target
// and takes its name in one step. Never truncates, never writes through a link that leads outside.
import { randomBytes } from 'node:crypto';
import { constants as C, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, relative, sep } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import {
  checkFile,
  KEPT,
  type OpenedFolder,
  openChild,
  openFile,
  openFolder,
  refusal,
  resolveInside,
} from './confine.ts';

/** The state of a file that an edit was made from; a file in another state is not replaced. */
export type Stamp = { ino: number; size: number; mtimeMs: number };
export const stampOf = (s: Stats): Stamp => ({ ino: s.ino, size: s.size, mtimeMs: s.mtimeMs });

const absent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Opens the folder at `path` (absolute, inside the root), creating what is missing on the way. */
export async function openParents(root: string, path: string): Promise<OpenedFolder> {
  let folder = await openFolder(root, root);
  for (const name of relative(root, path).split(sep).filter(Boolean)) {
    const parent = folder;
    try {
      folder = await openChild(root, parent, name, true).catch(async (error) => {
        if (!(error instanceof AppError && error.code === 'not_found')) throw error;
        await mkdir(`${parent.base}/${name}`).catch((e: NodeJS.ErrnoException) => {
          if (e.code !== 'EEXIST') throw e;
        });
        return openChild(root, parent, name, false);
      });
    } finally {
      await parent.handle.close();
    }
  }
  return folder;
}

const statOf = (path: string): Promise<Stats | null> =>
  lstat(path).catch((error) => {
    if (absent(error)) return null;
    throw error;
  });

async function swapIn(folder: OpenedFolder, name: string, bytes: Buffer, mode: number) {
  const temporary = `${folder.base}/.${randomBytes(6).toString('hex')}.tmp`;
  let handle: FileHandle | null = null;
  try {
    handle = await open(temporary, C.O_WRONLY | C.O_CREAT | C.O_EXCL | C.O_NOFOLLOW, mode);
    await handle.writeFile(bytes);
    await handle.chmod(mode);
    await rename(temporary, `${folder.base}/${name}`);
  } catch (error) {
    if (handle) await unlink(temporary).catch(() => {});
    throw error;
  } finally {
    await handle?.close();
  }
}

/**
 * Puts `bytes` in the place of the file, or creates it with its folders. A link is followed to a file inside.
 * Throws `conflict` when `expected` is given and the file is in another state.
 */
export async function replaceFile(
  root: string,
  given: string,
  bytes: Buffer,
  expected?: Stamp,
): Promise<{ created: boolean; was_bytes: number; rel: string }> {
  const path = resolveInside(root, given);
  if (path === root) throw new AppError('bad_request', `"${given}" is a folder, not a file`);
  const isKept = (rel: string): boolean => rel.split(sep)[0] === KEPT;
  const readOnly = refusal(given, `${KEPT}/ belongs to the runtime and is only for reading`);
  if (isKept(relative(root, path))) throw readOnly;
  const folder = await openParents(root, dirname(path));
  try {
    if (isKept(folder.rel)) throw readOnly;
    const name = basename(path);
    const old = await statOf(`${folder.base}/${name}`);
    if (old?.isSymbolicLink()) {
      const target = await openFile(root, given);
      await target.handle.close();
      return await replaceFile(root, target.real, bytes, expected);
    }
    if (old) checkFile({ stat: old }, given);
    const now = old ? stampOf(old) : null;
    const same = now?.ino === expected?.ino && now?.size === expected?.size;
    if (expected && !(same && now?.mtimeMs === expected.mtimeMs))
      throw new AppError('conflict', `"${given}" changed meanwhile; read it again`);
    await swapIn(folder, name, bytes, old ? old.mode & 0o777 : 0o644);
    return { created: !old, was_bytes: old?.size ?? 0, rel: relative(root, path) };
  } finally {
    await folder.handle.close();
  }
}
