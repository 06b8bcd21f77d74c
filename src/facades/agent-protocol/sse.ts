// Writes what a run says to one response: as server-sent events, or as one JSON value at its end. Both give signs of
// life while nothing happens, and neither piles up what its reader does not take.
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Frame } from './frames.ts';

export type Out = {
  reply: FastifyReply;
  heartbeat_ms: number;
  reader_bytes: number;
  /** Fires when the server closes. */
  closing: AbortSignal;
  /** The reader has gone before the end. */
  left(): void;
};
export type Told = { frames: Frame[]; id: string };

/** A reader that takes nothing for this long has gone. */
const DRAIN_MS = 30_000;

const STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  connection: 'close',
};

/** One write for frames that belong together: a cut never falls between them. */
const textOf = ({ frames, id }: Told): string =>
  frames
    .map(({ event, data }, i) => {
      const line = i === frames.length - 1 ? `id: ${id}\n` : '';
      return `${line}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    })
    .join('');

async function drained(raw: ServerResponse, bytes: number, gone: AbortSignal): Promise<boolean> {
  const until = performance.now() + DRAIN_MS;
  while (raw.writableLength > bytes && !gone.aborted && performance.now() < until)
    await new Promise((next) => setTimeout(next, 20));
  return raw.writableLength <= bytes;
}

/** Takes over the response; `gone` fires when its reader leaves or the server closes. */
function takeOver(out: Out, headers: Record<string, string>, beat: string) {
  const { raw } = out.reply.hijack();
  const gone = new AbortController();
  let over = false;
  const leave = (): void => gone.abort();
  out.closing.addEventListener('abort', leave, { once: true });
  raw.on('error', leave);
  raw.once('close', () => {
    clearInterval(timer);
    out.closing.removeEventListener('abort', leave);
    leave();
    if (!over && !out.closing.aborted) out.left();
  });
  if (!raw.destroyed)
    raw.writeHead(200, { ...(out.reply.getHeaders() as Record<string, string>), ...headers });
  const timer = setInterval(() => {
    if (raw.writableLength <= out.reader_bytes) raw.write(beat);
  }, out.heartbeat_ms);
  return {
    raw,
    gone: gone.signal,
    end(text: string): void {
      over = true;
      clearInterval(timer);
      raw.end(text);
    },
  };
}

export async function sendStream(
  out: Out,
  open: (gone: AbortSignal) => AsyncIterable<Told>,
): Promise<void> {
  const { raw, gone, end } = takeOver(out, STREAM, ': heartbeat\n\n');
  try {
    for await (const told of open(gone)) {
      if (gone.aborted) break;
      if (told.frames.length > 0) raw.write(textOf(told));
      if (!(await drained(raw, out.reader_bytes, gone))) break;
    }
    end('');
  } catch (error) {
    raw.destroy();
    throw error;
  }
}

/** Blank lines before a JSON text mean nothing to a parser, and keep the connection alive. */
export async function sendLate(
  out: Out,
  answer: (gone: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  const { raw, gone, end } = takeOver(out, type, '\n');
  try {
    const value = await answer(gone);
    if (gone.aborted) raw.destroy();
    else end(JSON.stringify(value));
  } catch (error) {
    raw.destroy();
    throw error;
  }
}
