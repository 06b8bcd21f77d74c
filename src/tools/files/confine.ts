// Path confinement: a file is opened first, then the kernel is asked what was opened, so that the check
// and the use are the same file. Never acts on a name that was checked earlier.
import { constants as C, type Stats } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { AppError } from '../../domain/errors.ts';

/** Full outputs and logs of the runtime, inside the working folder; left out of every listing. */
export const KEPT = '.troupe';

/** Open and verified: inside the root at the moment of the check. The caller closes the handle. */
export type Opened = { handle: FileHandle; real: string; rel: string; stat: Stats };
/** `base` names the open folder itself, wherever its name leads meanwhile. */
export type OpenedFolder = Opened & { base: string };

// Without /proc (macOS) names are compared instead: the same checks, with a race that stays open.
const HAS_PROC = process.platform === 'linux';
const READ = C.O_RDONLY | C.O_NONBLOCK | (C.O_NOCTTY ?? 0);

export const refusal = (given: string, why: string): AppError =>
  new AppError('forbidden', `"${given}" is refused: ${why}. Use a path inside the working folder.`);

export const isInside = (root: string, real: string): boolean =>
  real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);

/** The absolute path that was meant, by its words alone. Throws `forbidden` when it leads outside. */
export function resolveInside(root: string, given: string): string {
  if (given.includes('\0')) throw refusal(given.replaceAll('\0', '\\0'), 'it contains a NUL byte');
  const path = resolve(root, given);
  if (!isInside(root, path)) throw refusal(given, `it is outside the working folder ${root}`);
  return path;
}

/** Where the open file really is. */
async function whereIs(handle: FileHandle, path: string): Promise<string> {
  if (HAS_PROC) return readlink(`/proc/self/fd/${handle.fd}`);
  const real = await realpath(path);
  const [mine, named] = [await handle.stat(), await stat(real)];
  if (mine.ino !== named.ino || mine.dev !== named.dev) throw refusal(path, 'it changed meanwhile');
  return real;
}

export function openError(error: unknown, given: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return new AppError('not_found', `"${given}" does not exist`);
  if (code === 'ENXIO') return refusal(given, 'it is a pipe, socket or device');
  if (code === 'EACCES' || code === 'EPERM')
    return new AppError('forbidden', `"${given}" cannot be opened: permission denied`);
  if (code === 'ENOTDIR') return new AppError('bad_request', `"${given}" is not a folder`);
  return error;
}

/** A name that was typed one way and is on the disk the other: Hangul and accents from a Mac come in pieces. */
async function openSpelled(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    const other = [path.normalize('NFC'), path.normalize('NFD')].find((one) => one !== path);
    if (other === undefined || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return open(other, flags);
  }
}

/** Opens by name and verifies by handle. `path` may go through /proc/self/fd of an open folder. */
export async function openVerified(
  root: string,
  path: string,
  given: string,
  flags: number = READ,
): Promise<Opened> {
  const handle = await openSpelled(path, flags).catch((error) => {
    throw openError(error, given);
  });
  try {
    const real = await whereIs(handle, path);
    if (!isInside(root, real)) throw refusal(given, 'it leads outside the working folder');
    return { handle, real, rel: relative(root, real), stat: await handle.stat() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Throws unless it is a regular file that has no other name. */
export function checkFile(file: { stat: Stats }, given: string): void {
  if (file.stat.isDirectory())
    throw new AppError('bad_request', `"${given}" is a folder, not a file; list shows it`);
  if (!file.stat.isFile()) throw refusal(given, 'it is a pipe, socket or device');
  if (file.stat.nlink > 1)
    throw refusal(given, 'it is a hard link, whose other name may be outside');
}

/** Opens a regular file for reading. */
export async function openFile(root: string, given: string): Promise<Opened> {
  const file = await openVerified(root, resolveInside(root, given), given);
  try {
    checkFile(file, given);
    return file;
  } catch (error) {
    await file.handle.close();
    throw error;
  }
}

const asFolder = (opened: Opened): OpenedFolder => ({
  ...opened,
  base: HAS_PROC ? `/proc/self/fd/${opened.handle.fd}` : opened.real,
});

/** Opens a folder; names under its `base` stay in it even when the folder is renamed. */
export async function openFolder(root: string, given: string): Promise<OpenedFolder> {
  const path = resolveInside(root, given);
  return asFolder(await openVerified(root, path, given, READ | C.O_DIRECTORY));
}

/** Opens a folder inside an open one. `follow` allows a link as long as it stays inside the root. */
export async function openChild(
  root: string,
  folder: OpenedFolder,
  name: string,
  follow: boolean,
): Promise<OpenedFolder> {
  const flags = READ | C.O_DIRECTORY | (follow ? 0 : C.O_NOFOLLOW);
  return asFolder(await openVerified(root, `${folder.base}/${name}`, name, flags));
}
