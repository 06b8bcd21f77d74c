// One look at a file of a working folder, for whoever checks what is said about it: where it really is, how large, and
// its first part as text. Confined like the file tools; reads a bounded part.
import { AppError } from '../domain/errors.ts';
import type { Look } from '../memory/remember/propose.ts';
import { KEPT, openFile } from '../tools/files/confine.ts';

/** Bytes that are read: evidence is looked for in what people write, not in data. */
const MOST_BYTES = 512 * 1024;

export async function lookAt(workdir: string, path: string): Promise<Look | { reason: string }> {
  try {
    const file = await openFile(workdir, path);
    try {
      const { rel } = file;
      if (rel.split('/', 1)[0] === KEPT)
        return { reason: `it lies in ${KEPT}, the runtime's own folder` };
      const { size } = file.stat;
      const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
      const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, 0);
      const text = bytes.subarray(0, bytesRead);
      return { path: rel, size, text: text.includes(0) ? null : text.toString('utf8') };
    } finally {
      await file.handle.close();
    }
  } catch (error) {
    if (error instanceof AppError) return { reason: error.message };
    const code = (error as NodeJS.ErrnoException).code ?? 'an unknown error';
    return { reason: `it cannot be read: ${code}` };
  }
}
