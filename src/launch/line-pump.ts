// Drains a stream of a child line by line, so that a chatty child never waits for us. Keeps one line at most.
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Longer lines are cut here; the rest up to the newline is counted, not kept. */
const LINE_MAX = 8 * 1024;

export function pumpLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let line = '';
  let cut = 0;
  const add = (piece: string): void => {
    const room = LINE_MAX - line.length;
    if (piece.length > room) cut += piece.length - Math.max(0, room);
    if (room > 0) line += piece.slice(0, room);
  };
  const flush = (): void => {
    onLine(cut > 0 ? `${line} … [${cut} characters cut]` : line);
    line = '';
    cut = 0;
  };
  const take = (text: string): void => {
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      add(text.slice(from, at));
      flush();
      from = at + 1;
    }
    add(from === 0 ? text : text.slice(from));
  };
  stream.on('data', (chunk: Buffer) => take(decoder.write(chunk)));
  stream.once('end', () => {
    take(decoder.end());
    if (line !== '') flush();
  });
  stream.on('error', () => {}); // the exit of the child tells what matters
}
