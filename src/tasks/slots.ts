// MAX_SUBAGENTS as a data structure: who holds a slot and who is next. Pure: it knows no time, no process, no store.

export type Waiter = {
  agent_id: string;
  role: string;
  query_id: string;
  /** Agents above this one, nearest first. */
  ancestors: readonly string[];
  /** Resumed work and follow-ups of work that held a slot go before new work. */
  returning: boolean;
};

/** Work that held a slot before. */
export const returningOf = (run: Pick<Waiter, 'agent_id' | 'role' | 'query_id'>): Waiter => {
  const { agent_id, role, query_id } = run;
  return { agent_id, role, query_id, ancestors: [], returning: true };
};

type Entry = Waiter & { rank: number; tag: number; seq: number };

/** Smallest (rank, tag, seq) first. */
const before = (a: Entry, b: Entry): boolean =>
  a.rank !== b.rank ? a.rank < b.rank : a.tag !== b.tag ? a.tag < b.tag : a.seq < b.seq;

/** Each grant moves the virtual time by this much, so newcomers pass a waiting task at most 1/AGEING times a place. */
const AGEING = 1 / 16;
const RETURNING = 0;
const OF_A_LENDER = 1;
const NEW = 2;

/**
 * Fair FIFO: each query gets a virtual start tag per task, so a query with one task is not behind the fifty of
 * another; within a query the order of arrival holds. Every operation is O(log n) in the tasks of a role.
 */
export function createSlots(max: number) {
  const holders = new Set<string>();
  const lenders = new Set<string>();
  const entries = new Map<string, Entry>();
  const heaps = new Map<string, Entry[]>();
  const lastTag = new Map<string, number>();
  /** Waiting agents by each of their ancestors: lending raises just these. */
  const under = new Map<string, Set<string>>();
  let virtual = 0;
  let seq = 0;

  const push = (entry: Entry): void => {
    const heap = heaps.get(entry.role) ?? [];
    heaps.set(entry.role, heap);
    siftUp(heap, heap.push(entry) - 1);
  };
  /** The first entry of a role that still waits. Outdated ones (removed, re-ranked) fall away here. */
  const head = (heap: Entry[]): Entry | undefined => {
    while (heap[0] && entries.get(heap[0].agent_id) !== heap[0]) pop(heap);
    return heap[0];
  };
  const forget = (agent_id: string): boolean => {
    const entry = entries.get(agent_id);
    if (!entry) return false;
    entries.delete(agent_id);
    for (const a of entry.ancestors) {
      under.get(a)?.delete(agent_id);
      if (under.get(a)?.size === 0) under.delete(a);
    }
    // Tags at or behind the virtual time say nothing more: a new task of that query starts there anyway.
    if (lastTag.size > 2 * entries.size + 1000)
      for (const [query, tag] of lastTag) if (tag <= virtual) lastTag.delete(query);
    return true;
  };
  const rankOf = (w: Waiter): number =>
    w.returning ? RETURNING : w.ancestors.some((a) => lenders.has(a)) ? OF_A_LENDER : NEW;

  return {
    enqueue(waiter: Waiter): void {
      const tag = Math.max(virtual, lastTag.get(waiter.query_id) ?? 0);
      lastTag.set(waiter.query_id, tag + 1);
      const entry: Entry = { ...waiter, rank: rankOf(waiter), tag, seq: seq++ };
      entries.set(waiter.agent_id, entry);
      for (const a of waiter.ancestors) {
        const set = under.get(a);
        if (set) set.add(waiter.agent_id);
        else under.set(a, new Set([waiter.agent_id]));
      }
      push(entry);
    },
    /** Takes a waiter out of the queue; false when it was not there. */
    remove(agent_id: string): boolean {
      return forget(agent_id);
    },
    /** The next waiter whose role is not in `full`; it stays queued until `grant`. */
    next(full: ReadonlySet<string>): Waiter | null {
      if (holders.size >= max) return null;
      let best: Entry | null = null;
      for (const [role, heap] of heaps) {
        if (full.has(role)) continue;
        const first = head(heap);
        if (!first) heaps.delete(role);
        else if (!best || before(first, best)) best = first;
      }
      return best;
    },
    grant(agent_id: string): void {
      const entry = entries.get(agent_id);
      if (entry) {
        virtual = Math.max(virtual, entry.tag) + AGEING;
        forget(agent_id);
      }
      holders.add(agent_id);
    },
    release(agent_id: string): void {
      holders.delete(agent_id);
      lenders.delete(agent_id);
    },
    /** The holder waits for its children or a person: its slot goes first to its descendants. */
    lend(agent_id: string): boolean {
      if (!holders.delete(agent_id)) return false;
      lenders.add(agent_id);
      for (const id of under.get(agent_id) ?? []) {
        const entry = entries.get(id);
        if (entry?.rank !== NEW) continue;
        const raised = { ...entry, rank: OF_A_LENDER };
        entries.set(id, raised);
        push(raised);
      }
      return true;
    },
    /** The lender has its slot again; false while all are held. */
    retake(agent_id: string): boolean {
      if (!lenders.has(agent_id)) return true;
      if (holders.size >= max) return false;
      lenders.delete(agent_id);
      holders.add(agent_id);
      return true;
    },
    holds: (agent_id: string): boolean => holders.has(agent_id),
    waits: (agent_id: string): boolean => entries.has(agent_id),
    full: (): boolean => holders.size >= max,
    counts: () => ({ max, held: holders.size, lent: lenders.size, queued: entries.size }),
  };
}
export type Slots = ReturnType<typeof createSlots>;

function siftUp(heap: Entry[], from: number): void {
  let i = from;
  const entry = heap[i] as Entry;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    const above = heap[parent] as Entry;
    if (!before(entry, above)) break;
    heap[i] = above;
    i = parent;
  }
  heap[i] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    const right = heap[child + 1];
    if (right && before(right, heap[child] as Entry)) child += 1;
    const below = heap[child] as Entry;
    if (!before(below, last)) break;
    heap[i] = below;
    i = child;
  }
  heap[i] = last;
}
