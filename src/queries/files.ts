// The files of a query for people: listing, one file, the whole as a zip. The product's own folder is left out,
// links are not followed out, and nothing outside the workdir exists.
import { lstat, readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import yazl from 'yazl';
import { AppError } from '../domain/errors.ts';
import { KEPT, openFile } from '../tools/files/confine.ts';

export type FileEntry = { path: string; size: number; modified_at: string };

/** More files than this are not listed; the zip takes the same ones. */
const FILE_LIMIT = 10_000;
const DEPTH_LIMIT = 32;

/** Regular files under the workdir, by path. */
export async function listFiles(workdir: string): Promise<FileEntry[]> {
  const out: FileEntry[] = [];
  const folders = [{ path: workdir, depth: 0 }];
  for (let at = folders.shift(); at && out.length < FILE_LIMIT; at = folders.shift()) {
    const entries = await readdir(at.path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(at.path, entry.name);
      const rel = relative(workdir, path);
      if (rel === KEPT) continue;
      if (entry.isDirectory() && at.depth < DEPTH_LIMIT && entry.name !== 'node_modules')
        folders.push({ path, depth: at.depth + 1 });
      else if (entry.isFile() && out.length < FILE_LIMIT) {
        const stat = await lstat(path).catch(() => null);
        // A hard link is refused to readers: its other name may be outside.
        if (stat?.isFile() && stat.nlink === 1)
          out.push({ path: rel, size: stat.size, modified_at: stat.mtime.toISOString() });
      }
    }
  }
  return out.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One file by its path below the workdir. Whatever is refused does not exist: not_found. */
export async function readOne(
  workdir: string,
  path: string,
): Promise<{ stream: Readable; size: number; name: string }> {
  const missing = (): AppError =>
    new AppError('not_found', `no file "${path.slice(0, 200)}" in this query's working folder`);
  const file = await openFile(workdir, path).catch((error: unknown) => {
    if (error instanceof AppError) throw missing();
    throw error;
  });
  // The size that was announced is the size that is sent, even while the file grows.
  const { size } = file.stat;
  // Where it really is counts, not how it was spelt (`./.troupe/x`, a link).
  const kept = file.rel.split('/')[0] === KEPT;
  if (kept || size === 0) await file.handle.close();
  if (kept) throw missing();
  const stream =
    size === 0 ? Readable.from([]) : file.handle.createReadStream({ start: 0, end: size - 1 });
  return { stream, size, name: basename(path) };
}

/** A zip of all listed files, streamed, one open file at a time. What vanished or became a link is empty. */
export async function zipOf(workdir: string): Promise<Readable> {
  const zip = new yazl.ZipFile();
  for (const { path, modified_at } of await listFiles(workdir))
    zip.addReadStreamLazy(path, { mtime: new Date(modified_at) }, (give) => {
      openFile(workdir, path).then(
        (file) => give(null, file.handle.createReadStream()),
        () => give(null, Readable.from([])),
      );
    });
  zip.end();
  return zip.outputStream as unknown as Readable;
}
