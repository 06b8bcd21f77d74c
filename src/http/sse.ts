// Server-sent events: a feed written to one HTTP response. Ends with `end`, `resync` or `shutdown`,
// so that a reader always knows why.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventFilter } from '../domain/event.ts';
import type { Http } from './context.ts';
import { type FeedEnd, openFeed } from './feed.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  // Nothing comes after a stream: when it ends, so does its connection.
  connection: 'close',
};

export const wantsStream = (request: FastifyRequest): boolean =>
  /\btext\/event-stream\b/i.test(request.headers.accept ?? '');

/** A frame without id: it leaves the Last-Event-ID of the reader where it is. */
export const frame = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
/** `{"prev_seq":7,"seq":8,…}` from the JSON that all readers share. */
const withPrev = (json: string, prev_seq: number): string =>
  `{"prev_seq":${prev_seq},${json.slice(1)}`;

export type StreamEnd = Omit<FeedEnd, 'end'> & { about: Record<string, string> };

export function streamEvents(
  http: Http,
  reply: FastifyReply,
  ask: { after: number; filter: EventFilter; end?: StreamEnd },
): void {
  const { limits } = http;
  const { raw } = reply.hijack();
  if (raw.destroyed) return;
  raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS });
  raw.write(`retry: ${limits.retry_ms}\n\n`);
  const beat = setInterval(() => {
    // Not even heartbeats may pile up behind a reader that takes nothing.
    if (raw.writableLength > limits.reader_bytes) raw.destroy();
    else raw.write(': heartbeat\n\n');
  }, limits.heartbeat_ms);

  function finish(lastWords: string): void {
    feed.close();
    clearInterval(beat);
    raw.end(lastWords);
    // A reader that does not read would keep its buffer: it gets a moment, then it is cut.
    const cut = setTimeout(() => raw.destroy(), limits.farewell_ms);
    raw.once('close', () => clearTimeout(cut));
  }
  const { end } = ask;
  const feed = openFeed(
    { events: http.services.events, hub: http.services.hub, limits, log: http.log },
    {
      after: ask.after,
      filter: ask.filter,
      ...(end && {
        end: {
          ...end,
          end: (status, last_seq) => finish(frame('end', { ...end.about, status, last_seq })),
        },
      }),
    },
    {
      send: (event, json, prev) =>
        raw.write(`id: ${event.seq}\nevent: ${event.kind}\ndata: ${withPrev(json, prev)}\n\n`),
      unsent: () => raw.writableLength,
      resync(last_seq, reason) {
        http.readers.noteResync();
        finish(frame('resync', { last_seq, reason }));
      },
    },
  );
  const forget = http.readers.add('sse', () =>
    finish(`retry: ${limits.retry_ms}\n${frame('shutdown', { retry_ms: limits.retry_ms })}`),
  );
  raw.once('close', () => {
    forget();
    clearInterval(beat);
    feed.close();
  });
  raw.on('error', (error) => http.log.debug({ err: error }, 'an event reader has gone'));
}
