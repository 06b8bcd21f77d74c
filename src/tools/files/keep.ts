// Files of the runtime under .troupe/ in the working folder: full outputs, logs.
// Never overwrites: a name that exists gets a number.
import { constants as C } from 'node:fs';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { KEPT, type OpenedFolder, openChild, openFolder } from './confine.ts';

const FLAGS = C.O_WRONLY | C.O_CREAT | C.O_EXCL | C.O_NOFOLLOW;

/** A file name made of an id that a model may have chosen. */
export const safeName = (id: string): string =>
  id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 100) || 'call';

/** Opens the runtime's own folder, creating it and its `home`. The caller closes the handle. */
export async function openKept(root: string): Promise<OpenedFolder> {
  const top = await openFolder(root, root);
  try {
    const present = (e: NodeJS.ErrnoException): void => {
      if (e.code !== 'EEXIST') throw e;
    };
    await mkdir(`${top.base}/${KEPT}`).catch(present);
    const kept = await openChild(root, top, KEPT, false);
    await mkdir(`${kept.base}/home`).catch(present);
    return kept;
  } finally {
    await top.handle.close();
  }
}

/** A new empty file for writing, and its name as the agent may use it. The caller closes the handle. */
export async function createKept(
  root: string,
  id: string,
  extension: string,
): Promise<{ handle: FileHandle; rel: string }> {
  const folder = await openKept(root);
  try {
    for (let n = 1; n <= 10_000; n += 1) {
      const name = `${safeName(id)}${n === 1 ? '' : `-${n}`}.${extension}`;
      const handle = await open(`${folder.base}/${name}`, FLAGS, 0o644).catch((e) => {
        if (e.code === 'EEXIST') return null;
        throw e;
      });
      if (handle) return { handle, rel: join(KEPT, name) };
    }
    throw new AppError('conflict', `too many files named ${safeName(id)} under ${KEPT}/`);
  } finally {
    await folder.handle.close();
  }
}

/** Removes a file that createKept made. A file that is gone already is fine. */
export async function removeKept(root: string, rel: string): Promise<void> {
  const folder = await openKept(root);
  try {
    await unlink(`${folder.base}/${basename(rel)}`).catch(() => {});
  } finally {
    await folder.handle.close();
  }
}
