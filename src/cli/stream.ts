// Follows events over SSE across broken connections: resumes after the last sequence, gives no event twice.
// Must never end silently: it ends because the reader stops, the server says so, or with an error.
import { setTimeout as pause } from 'node:timers/promises';
import type { TroupeEvent } from '../domain/event.ts';
import type { Client, Params } from './client.ts';
import { type CliError, EXIT } from './exit.ts';
import { connectionError } from './problem.ts';
import { createSseParser, type SseMessage } from './sse.ts';

export type FollowAsk = {
  path: string;
  params?: Params;
  /** Events with a higher sequence only; `latest`: what happens from now on. */
  after: number | 'latest';
  signal: AbortSignal;
  /** The connection broke (with the reason), or is there again. */
  onLink?(state: 'lost' | 'back', reason: string): void;
  /** Some events between the last one and the next have been removed for their age. */
  onGap?(reason: string): void;
  /** Asked after the server closed the stream in good order: true ends the following. */
  ended?(): Promise<boolean>;
  /** Milliseconds without any connection after which it gives up. */
  giveUpMs?: number;
};

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** A server that restarts is back well within a minute. */
const GIVE_UP_MS = 60_000;

type Numbered = TroupeEvent & { prev_seq?: number | null };

export function eventOf({ data }: SseMessage): Numbered | null {
  try {
    const parsed = JSON.parse(data) as Numbered;
    return Number.isSafeInteger(parsed?.seq) && typeof parsed.kind === 'string' ? parsed : null;
  } catch {
    return null;
  }
}

/** Worth another try: no connection, a time-out, or a server that is starting, stopping or busy. */
const passing = (error: CliError): boolean =>
  error.exit === EXIT.unreachable ||
  error.exit === EXIT.timed_out ||
  /^(shutting_down|storage_busy|rate_limited|http_(429|502|503|504))$/.test(error.code);

export async function* follow(client: Client, ask: FollowAsk): AsyncGenerator<TroupeEvent> {
  const { signal, onLink, onGap, ended, giveUpMs = GIVE_UP_MS } = ask;
  let last = ask.after === 'latest' ? -1 : ask.after;
  let trusted = -1;
  // The place is gone: from the oldest that is kept, and what was seen is left out.
  let anew = false;
  let wait = FIRST_PAUSE_MS;
  let lostAt: number | null = null;
  while (!signal.aborted) {
    try {
      const stream = await client.open(ask.path, {
        params: { ...ask.params, after: last < 0 ? 'latest' : anew ? 0 : last },
        headers: {
          accept: 'text/event-stream',
          ...(last < 0 || anew ? {} : { 'last-event-id': String(last) }),
        },
        signal,
      });
      try {
        anew = false;
        if (lostAt !== null) onLink?.('back', '');
        lostAt = null;
        const parser = createSseParser();
        reading: for await (const chunk of stream.body) {
          for (const message of parser.push(chunk)) {
            if (message.event === 'resync') break reading;
            const event = eventOf(message);
            if (event === null || event.seq <= last) continue;
            // A hole before this event: ask again from the last one; a hole that stays is the server's truth.
            if (last >= 0 && (event.prev_seq ?? 0) > last && trusted !== last) {
              trusted = last;
              break reading;
            }
            last = event.seq;
            wait = FIRST_PAUSE_MS;
            yield event;
          }
          wait = parser.retry() ?? wait;
        }
      } finally {
        stream.close();
      }
      if (signal.aborted) return;
      if ((await ended?.()) === true) return;
    } catch (error) {
      if (signal.aborted) return;
      const failure = connectionError(error, client.url, `GET ${ask.path}`);
      if (failure.code === 'gone' && !anew) {
        onGap?.(failure.message);
        anew = true;
        continue;
      }
      if (!passing(failure)) throw failure;
      if (lostAt === null) onLink?.('lost', failure.message);
      lostAt ??= performance.now();
      if (performance.now() - lostAt > giveUpMs) throw failure;
    }
    await pause(wait, undefined, { signal }).catch(() => {});
    wait = Math.min(LONGEST_PAUSE_MS, wait * (1.5 + Math.random()));
  }
}
