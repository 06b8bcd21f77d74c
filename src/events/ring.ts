// The newest events in memory, so that a reader who is nearly up to date does not cost a read of the store.
// Bounded by number and by bytes; an event that has left is let go at once.
import type { TroupeEvent } from '../domain/event.ts';

/** One event as all its readers share it. `json`: its text, made once, when the first reader asks for it. */
export type SharedEvent = { readonly event: TroupeEvent; readonly json: string };

export function share(event: TroupeEvent): SharedEvent {
  let json: string | null = null;
  return {
    event,
    get json() {
      json ??= JSON.stringify(event);
      return json;
    },
  };
}

/** Ids, times and names of an event, in characters: what it takes beside its own texts. */
const FRAME = 500;
const sizeOf = ({ detail, data }: TroupeEvent): number => {
  let size = FRAME + detail.length;
  for (const value of Object.values(data)) if (typeof value === 'string') size += value.length;
  return size;
};

export type Ring = {
  push(shared: SharedEvent): void;
  /** Every committed event with a seq above this is in the ring; null: none was published yet. */
  base(): number | null;
  /** Events with a seq above `after`, in order. Complete only if `after` is not below base(). */
  after(after: number): SharedEvent[];
};

export function createRing(most: { events: number; bytes: number }): Ring {
  const slots = new Map<number, SharedEvent>();
  let base: number | null = null;
  let last = 0;
  let bytes = 0;

  return {
    push(shared) {
      const { seq } = shared.event;
      // Numbers follow each other without a gap; should one be missing, the ring starts anew.
      if (base === null || seq !== last + 1) {
        slots.clear();
        bytes = 0;
        base = seq - 1;
      }
      last = seq;
      slots.set(seq, shared);
      bytes += sizeOf(shared.event);
      while (base < last && (last - base > most.events || bytes > most.bytes)) {
        base += 1;
        const leaving = slots.get(base);
        bytes -= leaving ? sizeOf(leaving.event) : 0;
        slots.delete(base);
      }
    },
    base: () => base,
    after(after) {
      const found: SharedEvent[] = [];
      for (let seq = Math.max(after, base ?? last) + 1; seq <= last; seq += 1) {
        const shared = slots.get(seq);
        if (shared) found.push(shared);
      }
      return found;
    },
  };
}
