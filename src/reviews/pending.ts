// The reviews that are pending at this moment, kept in step with the commits: who waits is known without a read, and
// each has its timer. A deadline runs on the clock that never jumps; what passed while main was down counts.
import type { TroupeEvent } from '../domain/event.ts';
import type { Clock } from '../domain/ports.ts';
import type { Review } from '../domain/review.ts';

export type Held = Pick<Review, 'review_id' | 'query_id' | 'task_id' | 'agent_id' | 'blocking'> & {
  /** Resolves when it is pending no more. */
  closed: Promise<void>;
};
type Entry = Held & { close(): void; timer: NodeJS.Timeout };
type Known = Omit<Held, 'closed'> & Pick<Review, 'created_at' | 'expires_at'>;

export type PendingDeps = {
  clock: Clock;
  due(review_id: string): void;
  /** Something of this query was opened or closed. */
  changed(query_id: string): void;
};

export function createPending({ clock, due, changed }: PendingDeps) {
  const entries = new Map<string, Entry>();
  const byQuery = new Map<string, Set<Entry>>();

  function add({ created_at, expires_at, ...known }: Known): void {
    const { review_id, query_id } = known;
    if (entries.has(review_id)) return;
    const whole = Date.parse(expires_at) - Date.parse(created_at);
    // A wall clock that was set back must not give it more time than it had.
    const left = Math.min(whole, Date.parse(expires_at) - clock.now().getTime());
    const timer = setTimeout(() => due(review_id), Math.max(0, left)).unref();
    let close = (): void => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const entry = { ...known, closed, close, timer };
    entries.set(review_id, entry);
    const set = byQuery.get(query_id) ?? new Set();
    byQuery.set(query_id, set.add(entry));
    changed(query_id);
  }

  function remove(review_id: string): void {
    const entry = entries.get(review_id);
    if (!entry) return;
    clearTimeout(entry.timer);
    entries.delete(review_id);
    const set = byQuery.get(entry.query_id);
    set?.delete(entry);
    if (set?.size === 0) byQuery.delete(entry.query_id);
    entry.close();
    changed(entry.query_id);
  }

  return {
    add,
    /** To be put behind the event log. */
    follow(events: readonly TroupeEvent[]): void {
      for (const { kind, state, query_id, task_id, agent_id, data } of events) {
        if (kind !== 'review') continue;
        const review_id = data.review_id as string;
        const { blocking, created_at, expires_at } = data as Pick<
          Review,
          'blocking' | 'created_at' | 'expires_at'
        >;
        if (state !== 'pending') remove(review_id);
        else if (query_id)
          add({ review_id, query_id, task_id, agent_id, blocking, created_at, expires_at });
      }
    },
    get: (review_id: string): Held | undefined => entries.get(review_id),
    /** Oldest first. */
    ofQuery: (query_id: string): Held[] => [...(byQuery.get(query_id) ?? [])],
    size: (): number => entries.size,
    close(): void {
      for (const { timer } of entries.values()) clearTimeout(timer);
    },
  };
}
export type Pending = ReturnType<typeof createPending>;
