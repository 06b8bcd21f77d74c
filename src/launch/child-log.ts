// The log of one role: what its servers print, masked, in a file that turns over at a size. Bounded in memory
// and on disk; a disk that is slow or full costs lines, never the service.
import { appendFile, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export type ChildLogDeps = {
  file: string;
  /** The file and one older file of this size are kept. */
  max_bytes: number;
  mask: (text: string) => string;
  now: () => Date;
};
export type ChildLog = {
  add(source: string, line: string): void;
  /** The last lines, oldest first. */
  tail(lines: number): Promise<string[]>;
};

/** Bytes that may wait for the disk; more is dropped and counted. */
const PENDING_MAX = 1024 * 1024;
const TAIL_BYTES = 256 * 1024;

export function createChildLog({ file, max_bytes, mask, now }: ChildLogDeps): ChildLog {
  let pending: string[] = [];
  let bytes = 0;
  let dropped = 0;
  let size: number | null = null;
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    while (pending.length > 0) {
      if (dropped > 0) pending.push(`${now().toISOString()} [troupe] ${dropped} lines dropped\n`);
      const text = pending.join('');
      pending = [];
      bytes = 0;
      dropped = 0;
      await put(text).catch(() => {}); // no room: these lines are lost, the next may fit
    }
    writing = null;
  }
  async function put(text: string): Promise<void> {
    if (size === null) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      size = await stat(file).then(
        (s) => s.size,
        () => 0,
      );
    }
    if (size > 0 && size + text.length > max_bytes) {
      await rename(file, `${file}.1`).catch(() => {});
      size = 0;
    }
    await appendFile(file, text, { mode: 0o600 });
    size += Buffer.byteLength(text);
  }

  return {
    add(source, line) {
      if (bytes > PENDING_MAX) {
        dropped += 1;
        return;
      }
      const entry = `${now().toISOString()} [${source}] ${mask(line)}\n`;
      bytes += entry.length;
      pending.push(entry);
      writing ??= write();
    },
    async tail(lines) {
      await writing;
      const newest = await lastLines(file, lines);
      if (newest.length >= lines) return newest;
      return [...(await lastLines(`${file}.1`, lines - newest.length)), ...newest];
    },
  };
}

async function lastLines(file: string, lines: number): Promise<string[]> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return [];
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const buffer = Buffer.alloc(size - from);
    await handle.read(buffer, 0, buffer.length, from);
    const all = buffer.toString('utf8').split('\n').slice(0, -1);
    return (from > 0 ? all.slice(1) : all).slice(-lines);
  } finally {
    await handle.close();
  }
}
