// One reader's stream on top of the hub: its bound, its pace during a replay, and its end, if it has one.
// Keeps no events: what a slow reader holds back is its own socket buffer and no more.
import type { EventFilter, TroupeEvent } from '../domain/event.ts';
import type { EventReads, Log } from '../domain/ports.ts';
import type { HttpLimits } from './limits.ts';
import type { EventHub } from './services.ts';

type FeedReader = {
  /** `json` is the event; `prev_seq` the one before it in this stream (or where the stream began). */
  send(event: TroupeEvent, json: string, prev_seq: number): void;
  /** Bytes that the reader has not taken yet. */
  unsent(): number;
  /** The stream broke: tell the reader where it is, and end. */
  resync(last_seq: number, reason: string): void;
};
/** A stream that ends: which events may be the last, and whether it is over now (the status) or not (null). */
export type FeedEnd = {
  mayEnd(event: TroupeEvent): boolean;
  status(): Promise<string | null>;
  end(status: string, last_seq: number): void;
};
type FeedDeps = { events: EventReads; hub: EventHub; limits: HttpLimits; log: Log };
export type Feed = { close(): void };

type Ending = { seen(event: TroupeEvent): void; look(): void };
/** The end is the end only when it is durable and nothing is left to send. */
function watchEnd(
  end: FeedEnd,
  at: { open(): boolean; nothingLeft(): Promise<boolean>; finish(status: string): void },
  fail: (error: unknown) => void,
): Ending {
  let over = false;
  let looking = false;
  let again = false;
  async function run(): Promise<void> {
    looking = true;
    while (again && at.open()) {
      again = false;
      const status = await end.status();
      over = status !== null;
      if (status !== null && (await at.nothingLeft()) && at.open()) at.finish(status);
    }
    looking = false;
  }
  function look(): void {
    again = true;
    if (!looking) run().catch(fail);
  }
  return {
    seen: (event) => {
      if (over || end.mayEnd(event)) look();
    },
    look,
  };
}

/** Resolves when the reader has room again, or is gone. The hub gives up on one that never has. */
async function room(reader: FeedReader, bytes: number, open: () => boolean): Promise<void> {
  while (open() && reader.unsent() > bytes) await new Promise((next) => setTimeout(next, 10));
}

export function openFeed(
  { events, hub, limits, log }: FeedDeps,
  { after, filter, end }: { after: number; filter: EventFilter; end?: FeedEnd },
  reader: FeedReader,
): Feed {
  let last = after;
  let closed = false;
  const open = () => !closed;
  function close(): void {
    closed = true;
    live.close();
  }
  function broken(last_seq: number, reason: string): void {
    if (closed) return;
    close();
    reader.resync(last_seq, reason);
  }
  const ending = end
    ? watchEnd(
        end,
        {
          open,
          nothingLeft: async () => (await events.after(last, filter, 1)).length === 0,
          finish(status) {
            close();
            end.end(status, last);
          },
        },
        (error) => {
          log.warn({ err: error, last_seq: last }, 'the end of a stream could not be seen');
          broken(last, 'failed');
        },
      )
    : null;
  const live = hub.subscribe({
    after,
    filter,
    push({ event, json }, prev_seq) {
      if (closed) return false;
      reader.send(event, json, prev_seq);
      last = event.seq;
      ending?.seen(event);
      return reader.unsent() <= limits.reader_bytes;
    },
    drained: () => room(reader, limits.replay_bytes, open),
    resync: broken,
  });
  ending?.look();
  return { close };
}
