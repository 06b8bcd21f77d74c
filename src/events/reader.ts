// One reader of the hub: first it catches up (store, then memory), then it is live; in the end it is dropped once.
// It keeps no events of its own, so what a slow socket can hold back is one page at most.
import { type EventFilter, isOfOne, matches } from '../domain/event.ts';
import type { EventReads, Log } from '../domain/ports.ts';
import type { Ring, SharedEvent } from './ring.ts';
import { share } from './ring.ts';

/**
 * `slow`: over its bound. `ahead`: it asked for what does not exist yet. `removed`: what comes next has been removed
 * for its age. `failed`: the store could not be read.
 */
export type ResyncReason = 'slow' | 'ahead' | 'removed' | 'failed';

export type Subscription = {
  /** Events above this sequence; null: from now on. */
  after: number | null;
  filter: EventFilter;
  /**
   * Takes one event. `prev_seq`: the event that this stream delivered before, or where it started.
   * false: taken, but the socket is over its bound now.
   */
  push(shared: SharedEvent, prev_seq: number): boolean;
  /** Resolves when the socket has room again. Without it a replay ends at the bound, too. */
  drained?(): Promise<void>;
  /** The end of the stream: start again after `last_seq`, or read the state anew. */
  resync(last_seq: number, why: ResyncReason): void;
};

export type Reader = { live(shared: SharedEvent): void; replay(): void; close(): void };

const PAGE = 100;

export function createReader(deps: {
  subscription: Subscription;
  ring: Ring;
  events: EventReads;
  drainMs: number;
  gone(): void;
  log?: Log;
}): Reader {
  const { subscription, ring, events } = deps;
  const { filter } = subscription;
  let closed = false;
  let caughtUp = false;
  // `seen`: everything up to here was looked at. `last`: the last that was delivered.
  let seen = subscription.after ?? 0;
  let last = seen;
  // Removed before the replay began: who starts at 0 takes what is kept.
  let removed = 0;

  function close(): void {
    if (closed) return;
    closed = true;
    deps.gone();
  }

  function drop(why: ResyncReason): void {
    if (closed) return;
    close();
    subscription.resync(last, why);
  }

  /** false: the reader has gone or is over its bound. */
  function deliver(shared: SharedEvent): boolean {
    seen = shared.event.seq;
    if (!matches(shared.event, filter)) return true;
    const prev = last;
    last = seen;
    try {
      return subscription.push(shared, prev) && !closed;
    } catch (error) {
      deps.log?.warn({ err: error, seq: seen }, 'a reader of events failed and was dropped');
      close();
      return false;
    }
  }

  async function catchUp(): Promise<void> {
    const newest = await events.last();
    if (subscription.after === null) seen = last = newest;
    if (seen > newest) {
      last = newest;
      return drop('ahead');
    }
    if (seen === 0) removed = await events.removed();
    while (!closed) {
      const base = ring.base();
      const room = base !== null && seen >= base ? fromRing() : await fromStore();
      if (room && caughtUp) return;
      if (room) await nextTurn();
      else if (!(await roomAgain())) return drop('slow');
    }
  }

  /** Synchronous, so nothing is published in between: afterwards the reader is live. */
  function fromRing(): boolean {
    for (const shared of ring.after(seen)) if (!deliver(shared)) return false;
    caughtUp = true;
    return true;
  }

  async function fromStore(): Promise<boolean> {
    const upTo = await events.last();
    const page = await events.after(seen, filter, PAGE);
    const nowRemoved = await events.removed();
    if (nowRemoved > removed && seen < nowRemoved && !isOfOne(filter)) {
      drop('removed');
      return false;
    }
    for (const event of page) if (closed || !deliver(share(event))) return false;
    // A short page: everything up to `upTo` was looked at. Without a ring nothing can have come since.
    if (page.length < PAGE) {
      seen = Math.max(seen, upTo);
      caughtUp = ring.base() === null;
    }
    return true;
  }

  async function roomAgain(): Promise<boolean> {
    if (closed || !subscription.drained) return false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), deps.drainMs).unref();
    });
    return Promise.race([subscription.drained().then(() => true), late]).finally(() =>
      clearTimeout(timer),
    );
  }

  return {
    live(shared) {
      if (caughtUp && !closed && shared.event.seq > seen && !deliver(shared)) drop('slow');
    },
    replay() {
      catchUp().catch((error: unknown) => {
        deps.log?.error({ err: error, after: seen }, 'a replay of events failed');
        drop('failed');
      });
    },
    close,
  };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
