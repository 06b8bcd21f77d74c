// Reads a range of lines out of an open file of any size, in one pass with bounded memory.
// Never decodes chunk by chunk without state; says when the bytes are not UTF-8.
import type { FileHandle } from 'node:fs/promises';
import { headOf } from '../../domain/text.ts';

export type LineRange = {
  lines: string[];
  /** 1-based number of the first line shown. */
  first: number;
  /** Lines of the whole file; null when the reader stopped before the end. */
  total: number | null;
  encoding: 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'not UTF-8' | 'binary';
  /** Lines of which only the start is shown. */
  shortened: number;
  /** A line that is shown ends with CRLF. */
  crlf: boolean;
  /** The first bytes of the file. */
  head: Buffer;
};
export type RangeAsk = { offset: number; limit: number; max_bytes: number };

const CHUNK = 64 * 1024;
/** Bytes of one line that are shown. */
const LINE_LIMIT = 2_000;
/** After the wanted lines, how much more is read just to know how many there are. */
const COUNT_LIMIT = 16 * 1024 * 1024;

type Decoder = { decode(bytes?: Uint8Array, options?: { stream: boolean }): string };

function collector(ask: RangeAsk) {
  const lines: string[] = [];
  let number = 0;
  let current = '';
  let length = 0;
  let bytes = 0;
  let shortened = 0;
  let full = false;
  let crlf = false;
  const wanted = (): boolean => number >= ask.offset && !full;
  const endLine = (): void => {
    number += 1;
    if (wanted()) {
      const cut = length > current.length || current.length > LINE_LIMIT;
      if (current.endsWith('\r')) crlf = true;
      const shown = cut ? headOf(current, LINE_LIMIT) : current.replace(/\r$/, '');
      if (bytes + shown.length > ask.max_bytes && lines.length > 0) full = true;
      else {
        lines.push(cut ? `${shown} [... line of ${length} characters cut ...]` : shown);
        bytes += Buffer.byteLength(shown) + 8;
        if (cut) shortened += 1;
        if (lines.length >= ask.limit || bytes > ask.max_bytes) full = true;
      }
    }
    current = '';
    length = 0;
  };
  return {
    push(text: string): void {
      let at = 0;
      for (;;) {
        const end = text.indexOf('\n', at);
        const piece = text.slice(at, end < 0 ? undefined : end);
        if (current.length <= LINE_LIMIT) current += piece;
        length += piece.length;
        if (end < 0) return;
        endLine();
        at = end + 1;
      }
    },
    end(): void {
      if (length > 0) endLine();
    },
    isFull: (): boolean => full,
    result: () => ({ lines, first: ask.offset, count: number, shortened, crlf }),
  };
}

function encodingOf(head: Buffer): LineRange['encoding'] {
  if (head[0] === 0xff && head[1] === 0xfe) return 'UTF-16LE';
  if (head[0] === 0xfe && head[1] === 0xff) return 'UTF-16BE';
  return head.subarray(0, 8192).includes(0) ? 'binary' : 'UTF-8';
}

function decoderFor(encoding: LineRange['encoding']): Decoder {
  if (encoding === 'UTF-16LE') return new TextDecoder('utf-16le');
  if (encoding === 'UTF-16BE') return new TextDecoder('utf-16be');
  return new TextDecoder('utf-8', { fatal: encoding === 'UTF-8' });
}

async function scan(file: FileHandle, size: number, ask: RangeAsk, as: LineRange['encoding']) {
  const decoder = decoderFor(as);
  const lines = collector(ask);
  const buffer = Buffer.alloc(CHUNK);
  let position = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    lines.push(decoder.decode(buffer.subarray(0, bytesRead), { stream: true }));
    if (lines.isFull() && size - position > COUNT_LIMIT)
      return { ...lines.result(), complete: false };
  }
  lines.push(decoder.decode());
  lines.end();
  return { ...lines.result(), complete: true };
}

export async function readLines(file: FileHandle, size: number, ask: RangeAsk): Promise<LineRange> {
  const head = Buffer.alloc(8192);
  const { bytesRead } = await file.read(head, 0, head.length, 0);
  const start = head.subarray(0, bytesRead);
  let encoding = encodingOf(start);
  const none = {
    lines: [],
    first: ask.offset,
    total: null,
    shortened: 0,
    crlf: false,
    head: start,
  };
  if (encoding === 'binary') return { ...none, encoding };
  let found: Awaited<ReturnType<typeof scan>>;
  try {
    found = await scan(file, size, ask, encoding);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    encoding = 'not UTF-8';
    found = await scan(file, size, ask, encoding);
  }
  const { count, complete, ...shown } = found;
  return { ...shown, total: complete ? count : null, encoding, head: start };
}
