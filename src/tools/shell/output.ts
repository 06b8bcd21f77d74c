// What a command prints: its start and end in memory, all of it (up to a bound) in a log file.
// Never decodes without state: each stream has a decoder of its own.
import { writeSync } from 'node:fs';
import { cutNote, headOf, tailOf } from '../../domain/text.ts';

export type Output = {
  /** A sink for one stream; call `flush` at its end. */
  stream(): { push(chunk: Uint8Array): void; flush(): void };
  /** At most `limit` bytes; `whole` says where the rest is. */
  text(whole: string): string;
  /** Bytes of text so far. */
  total(): number;
  isCut(): boolean;
};

/** `limit`: bytes kept for the model. `log`: file descriptor, or null. `log_limit`: bytes written to it. */
export function createOutput(limit: number, log: number | null, log_limit: number): Output {
  const head_limit = Math.ceil(limit * 0.5);
  const tail_limit = limit - head_limit;
  let head = '';
  let head_bytes = 0;
  let tail = '';
  let total = 0;
  let logged = 0;

  function toLog(text: string): void {
    if (log === null || logged >= log_limit) return;
    const part = headOf(text, log_limit - logged);
    try {
      writeSync(log, part);
      logged += Buffer.byteLength(part);
      if (part.length < text.length) {
        logged = log_limit;
        writeSync(log, `\n[... the log ends here: it holds at most ${log_limit} bytes ...]\n`);
      }
    } catch {
      logged = log_limit; // disk full or closed: the command goes on, its log does not
    }
  }
  function add(text: string): void {
    if (text === '') return;
    toLog(text);
    total += Buffer.byteLength(text);
    let rest = text;
    if (tail === '' && head_bytes < head_limit) {
      const part = headOf(text, head_limit - head_bytes);
      head += part;
      head_bytes += Buffer.byteLength(part);
      rest = text.slice(part.length);
    }
    if (rest === '') return;
    tail += rest;
    if (tail.length > 2 * tail_limit + 4_096) tail = tailOf(tail, 2 * tail_limit);
  }
  const isCut = (): boolean => total > limit;
  return {
    stream() {
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      return {
        push: (chunk) => add(decoder.decode(chunk, { stream: true })),
        flush: () => add(decoder.decode()),
      };
    },
    text(whole) {
      if (!isCut()) return head + tail;
      const end = tailOf(tail, tail_limit);
      const left_out = total - head_bytes - Buffer.byteLength(end);
      return `${head}${cutNote(left_out, total, whole)}${end}`;
    },
    total: () => total,
    isCut,
  };
}
