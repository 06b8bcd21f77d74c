// Live readers of events with replay by sequence: from the store in pages, then from memory, without a gap.
// A reader that cannot keep up is told so and dropped: nothing is lost silently, nothing waits for it.
import type { EventFilter, TroupeEvent } from '../domain/event.ts';
import { matches } from '../domain/event.ts';
import type { Log, Reads } from '../domain/ports.ts';
import { createReader, type Reader, type Subscription } from './reader.ts';
import { createRing, share } from './ring.ts';

export type Hub = {
  /** Takes committed events in order; to be put behind the event log. */
  publish(events: readonly TroupeEvent[]): void;
  subscribe(subscription: Subscription): { close(): void };
  /**
   * The first event from now on that matches and satisfies; null after `ms` or when the signal aborts.
   * It listens before it returns: call it, then look at the state, and nothing falls in between.
   */
  waitFor(
    filter: EventFilter,
    satisfies: (event: TroupeEvent) => boolean,
    ms: number,
    signal?: AbortSignal,
  ): Promise<TroupeEvent | null>;
  /** Open subscriptions, for metrics. */
  readers(): number;
  /** Ends every subscription and every wait. */
  close(): void;
};

// Beyond this setTimeout fires at once.
const LONGEST_MS = 2 ** 31 - 1;
const RING_BYTES = 16 * 1024 * 1024;
// A socket that takes nothing for this long has nobody behind it.
const DRAIN_MS = 30_000;

export function createHub(deps: {
  reads: Pick<Reads, 'events'>;
  /** Events kept in memory; also bounded to 16 MiB of text. */
  ringSize: number;
  /** Milliseconds that a replay waits for a full socket. */
  drainMs?: number;
  log?: Log;
}): Hub {
  const ring = createRing({ events: deps.ringSize, bytes: RING_BYTES });
  const readers = new Set<Reader>();
  const waiters = new Set<{ filter: EventFilter; take(event: TroupeEvent | null): void }>();

  return {
    publish(events) {
      for (const event of events) {
        const shared = share(event);
        ring.push(shared);
        for (const reader of readers) reader.live(shared);
        for (const waiter of waiters) if (matches(event, waiter.filter)) waiter.take(event);
      }
    },
    subscribe(subscription) {
      const reader = createReader({
        subscription,
        ring,
        events: deps.reads.events,
        drainMs: deps.drainMs ?? DRAIN_MS,
        gone: () => readers.delete(reader),
        ...(deps.log ? { log: deps.log } : {}),
      });
      readers.add(reader);
      reader.replay();
      return { close: reader.close };
    },
    waitFor(filter, satisfies, ms, signal) {
      return new Promise((resolve, reject) => {
        const end = (event: TroupeEvent | null) => {
          waiters.delete(waiter);
          clearTimeout(timer);
          signal?.removeEventListener('abort', stop);
          resolve(event);
        };
        const stop = () => end(null);
        const take = (event: TroupeEvent | null) => {
          try {
            if (event === null || satisfies(event)) end(event);
          } catch (error) {
            reject(error);
            end(null);
          }
        };
        const waiter = { filter, take };
        // The caller's own limit for a request that waits.
        const timer = setTimeout(stop, Math.min(Math.max(ms, 0), LONGEST_MS));
        if (signal?.aborted) return stop();
        signal?.addEventListener('abort', stop);
        waiters.add(waiter);
      });
    },
    readers: () => readers.size,
    close() {
      for (const reader of readers) reader.close();
      for (const waiter of waiters) waiter.take(null);
    },
  };
}
