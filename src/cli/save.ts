// Saves a download: whole or not at all, never over a file that is there unless told so.
import { createWriteStream } from 'node:fs';
import { access, link, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Opened } from './client.ts';
import { CliError, EXIT } from './exit.ts';

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

const taken = (file: string): CliError =>
  new CliError(EXIT.failed, 'file_exists', `${file} exists already`, 'use --force or -o FILE');

export async function saveArchive(
  { body, close }: Opened,
  { cwd, file, force }: { cwd: string; file: string; force: boolean },
): Promise<{ file: string; bytes: number }> {
  const target = resolve(cwd, file);
  const part = `${target}.${process.pid}.part`;
  try {
    if (!force && (await exists(target))) throw taken(target);
    await pipeline(Readable.from(body), createWriteStream(part, { flags: 'wx' }));
    if (force) await rename(part, target);
    // A link fails when the name has been taken meanwhile; a rename would overwrite.
    else
      await link(part, target).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST' ? taken(target) : error;
      });
    return { file: target, bytes: (await stat(target)).size };
  } finally {
    close();
    await rm(part, { force: true });
  }
}
