// Composes the room: the inbox where a person decides. Every review is opened and closed in a unit of work with its
// event; what waits in this process is woken by the commit.
import { AppError } from '../domain/errors.ts';
import type { TroupeEvent } from '../domain/event.ts';
import type { Clock, Log, Store, Tx } from '../domain/ports.ts';
import type { Review, ReviewKind } from '../domain/review.ts';
import { createAsk } from './ask.ts';
import { allowedOf, readDecision } from './kinds.ts';
import { createPending } from './pending.ts';
import { closeReview, type NewReview, openReview } from './rows.ts';

/**
 * What a decision brings about. Called with the review as it will be; what it answers writes in the unit of work of the
 * decision, and may be called for nothing when somebody else has decided first. Throws to refuse the decision.
 */
export type Effect = (review: Review) => Promise<(t: Tx) => Promise<void>>;

export type ReviewsDeps = {
  store: Store;
  clock: Clock;
  log: Log;
  /** Until a review of an agent expires. */
  timeout_s: number;
  effects?: Partial<Record<ReviewKind, Effect>>;
};

/** A disk gets room when somebody makes it; until then what is due stays due. */
const AGAIN_MS = 1_000;

export function createReviews({ store, clock, log, timeout_s, effects = {} }: ReviewsDeps) {
  const { reads } = store;
  const listeners: ((query_id: string) => void)[] = [];
  const decided: ((review: Review) => void)[] = [];
  let closing = false;
  const pending = createPending({
    clock,
    due: (review_id) => void expire(review_id),
    changed(query_id) {
      for (const listener of listeners) listener(query_id);
    },
  });

  async function expire(review_id: string): Promise<void> {
    while (!closing && pending.get(review_id))
      try {
        await store.tx(async (t) => {
          const review = await t.reviews.get(review_id);
          if (review)
            await closeReview(t, review, { status: 'expired', decision: null, by: 'timeout' });
        });
        return;
      } catch (error) {
        log.warn({ err: error, review_id }, 'a review could not expire; trying again');
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      }
  }

  async function find(id: string): Promise<Review> {
    const review = await reads.reviews.get(id.trim().toLowerCase());
    if (review) return review;
    throw new AppError('not_found', `no review ${id.slice(0, 200)}; ids are given whole`);
  }

  /** As it is when it has been closed, after `ms`, or when the signal fires. */
  async function settled(review_id: string, ms: number, signal: AbortSignal): Promise<Review> {
    const held = pending.get(review_id);
    if (held && ms > 0) {
      let stop = (): void => {};
      const limit = new Promise<void>((resolve) => {
        stop = resolve;
      });
      // A timer above 2^31-1 ms would fire at once.
      const timer = setTimeout(stop, Math.min(ms, 2 ** 31 - 1));
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      await Promise.race([held.closed, limit]);
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
    return find(review_id);
  }

  return {
    agents: createAsk({ store, pending, timeout_s, settled }),
    timeout_s,
    /** Durable when it resolves. In a unit of work of one's own: `openReview`. */
    open: (review: NewReview): Promise<Review> => store.tx((t) => openReview(t, review)),
    settled,
    get: find,
    list: reads.reviews.list,
    /** Ids of what a task, or anybody in a query, waits for; oldest first. */
    waitingFor: (of: { query_id: string; task_id?: string }): string[] =>
      pending
        .ofQuery(of.query_id)
        .filter((r) => r.blocking && (of.task_id === undefined || r.task_id === of.task_id))
        .map((r) => r.review_id),
    /**
     * Decides once. AppError decision_invalid when the decision does not fit, conflict with what was decided when it
     * is closed already. `also`: rows of the same unit of work.
     */
    async decide(
      id: string,
      given: Readonly<Record<string, unknown>>,
      by: string,
      also?: (t: Tx, review: Review) => Promise<void>,
    ): Promise<Review> {
      const found = await find(id);
      const { review_id } = found;
      if (found.status !== 'pending') throw alreadyClosed(found, review_id);
      const decision = readDecision(found, given);
      const write = await effects[found.kind]?.({ ...found, decision } as Review);
      const done = await store.tx(async (t) => {
        const review = await t.reviews.get(review_id);
        const closed =
          review && (await closeReview(t, review, { status: 'decided', decision, by }));
        if (!closed) throw alreadyClosed(review, review_id);
        await write?.(t);
        await also?.(t, closed);
        return closed;
      });
      for (const listener of decided) listener(done);
      return done;
    },
    allowed: allowedOf,
    counts: () => ({ pending: pending.size() }),
    /** Called after each commit in which a review of this query was opened or closed. */
    onChange: (listener: (query_id: string) => void): void => void listeners.push(listener),
    /** Called with each review that a person has decided, when it is durable. */
    onDecided: (listener: (review: Review) => void): void => void decided.push(listener),
    /** To be put behind the event log, before anything is accepted. */
    follow: (events: readonly TroupeEvent[]): void => pending.follow(events),
    /** After a restart: what is pending is pending again, with the rest of its time. */
    async load(): Promise<number> {
      const rows = await reads.reviews.pending();
      for (const review of rows) pending.add(review);
      return rows.length;
    },
    close(): void {
      closing = true;
      pending.close();
    },
  };
}
export type Reviews = ReturnType<typeof createReviews>;

/** The whole decision is in `data`. */
function decisionLine(decision: NonNullable<Review['decision']>): string {
  if ('items' in decision)
    return decision.items.map((item) => `${item.decision} ${item.path}`).join(', ');
  const line = JSON.stringify(decision);
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

function alreadyClosed(review: Review | null, review_id: string): AppError {
  if (!review) return new AppError('not_found', `no review ${review_id}`);
  const { status, decision, decided_at, decided_by } = review;
  const what = decision ? `: ${decisionLine(decision)}` : '';
  return new AppError(
    'conflict',
    `review ${review_id} is already ${status}${what} (${decided_by}, ${decided_at}); nothing was changed`,
    { data: { status, decision, decided_at, decided_by } },
  );
}
