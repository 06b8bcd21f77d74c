// Keeps the whole of a text that was cut, under .troupe/ in the working folder.
// Never follows a link there and never fails a run: without the file the note says so.
import { constants as C } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';

const FOLDER = C.O_RDONLY | C.O_DIRECTORY | C.O_NOFOLLOW;
const FRESH = C.O_WRONLY | C.O_CREAT | C.O_EXCL | C.O_NOFOLLOW;
const HAS_PROC = process.platform === 'linux';

async function writeFresh(base: string, id: string, text: string): Promise<string> {
  const stem = id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 100) || 'result';
  for (let n = 1; ; n += 1) {
    const name = `${stem}${n === 1 ? '' : `-${n}`}.txt`;
    const file = await open(`${base}/${name}`, FRESH, 0o644).catch((e) => {
      if (e.code === 'EEXIST' && n < 10_000) return null;
      throw e;
    });
    if (!file) continue;
    try {
      await file.writeFile(text);
      return name;
    } finally {
      await file.close();
    }
  }
}

/** A sentence that says where the whole is. `workdir`: absolute, real. */
export async function keepWhole(workdir: string, id: string, text: string): Promise<string> {
  try {
    const path = `${workdir}/.troupe`;
    await mkdir(path).catch((e) => {
      if (e.code !== 'EEXIST') throw e;
    });
    const folder = await open(path, FOLDER);
    try {
      const name = await writeFresh(HAS_PROC ? `/proc/self/fd/${folder.fd}` : path, id, text);
      return `the whole is in .troupe/${name}; read it with offset and limit`;
    } finally {
      await folder.close();
    }
  } catch {
    return 'the whole could not be kept';
  }
}
