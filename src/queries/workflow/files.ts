// The documents of a workflow in its workdir: read and set without ever leaving it.
import { readdir } from 'node:fs/promises';
import { AppError } from '../../domain/errors.ts';
import { openFile, openFolder } from '../../tools/files/confine.ts';
import { replaceFile, type Stamp, stampOf } from '../../tools/files/replace.ts';
import { COSPEC, isKebab } from '../../workflows/paths.ts';

/** Larger than any document of people. */
const MOST_BYTES = 1_048_576;
const MOST_NAMES = 200;

export type Read = { text: string; stamp: Stamp };

/** null: it is not there, or is nothing that may be read. */
export async function readText(workdir: string, path: string): Promise<Read | null> {
  try {
    const file = await openFile(workdir, path);
    try {
      if (file.stat.size > MOST_BYTES) return null;
      return { text: await file.handle.readFile('utf8'), stamp: stampOf(file.stat) };
    } finally {
      await file.handle.close();
    }
  } catch (error) {
    if (error instanceof AppError || (error as NodeJS.ErrnoException).code !== undefined)
      return null;
    throw error;
  }
}

/** Names of the folders in a folder, as far as they are good names; none when it is not there. */
export async function foldersIn(workdir: string, path: string): Promise<string[]> {
  try {
    const folder = await openFolder(workdir, path);
    try {
      const entries = await readdir(folder.base, { withFileTypes: true });
      const names = entries.filter((e) => e.isDirectory() && isKebab(e.name)).map((e) => e.name);
      return names.sort().slice(0, MOST_NAMES);
    } finally {
      await folder.handle.close();
    }
  } catch (error) {
    if (error instanceof AppError || (error as NodeJS.ErrnoException).code !== undefined) return [];
    throw error;
  }
}

/** False when it has changed since it was read. */
export async function setText(
  workdir: string,
  path: string,
  text: string,
  { stamp }: Read,
): Promise<boolean> {
  try {
    await replaceFile(workdir, path, Buffer.from(text, 'utf8'), { expected: stamp, under: COSPEC });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return false;
    throw error;
  }
}
