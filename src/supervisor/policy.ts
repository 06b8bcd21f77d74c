// Decisions about role servers: where a run finds a place, who must leave, whose fault an end was. Pure: no
// clock, no log, no effect.
import type { ServerState } from '../domain/ports.ts';

/** One role server as the decisions see it. */
export type SeatView = {
  id: string;
  role: string;
  instance: number;
  state: ServerState;
  /** Runs that use a place; runs that wait and have lent theirs. */
  active: number;
  lent: number;
  /** Monotonic ms since when it has had no run at all; null while it has one. */
  idle_since: number | null;
  /** Its seat belongs to a successor already, which starts when this one has gone. */
  handed: boolean;
  /** False for servers that are no process of ours. */
  counts: boolean;
};
export type RoleNeed = { name: string; instances: number; places: number; counts: boolean };

export type Choice =
  | { kind: 'use'; id: string }
  /**
   * Start a server as this instance when those in `after` have gone. `takes`: the one of them whose seat it gets;
   * `evict`: that one is still at work and has to be stopped for it.
   */
  | { kind: 'start'; instance: number; after: string[]; takes: string | null; evict: boolean }
  /** No place now; `evict`, if any, is to be stopped so that there will be one. */
  | { kind: 'wait'; why: 'slot' | 'role'; evict: string | null };

const living = (seat: SeatView): boolean => seat.state === 'starting' || seat.state === 'ready';

/** Processes that count against the limit: starting, ready and draining, but none whose runs all wait. */
export const countsNow = (seat: SeatView): boolean =>
  seat.counts && !seat.handed && !(seat.state === 'ready' && seat.active === 0 && seat.lent > 0);
export const processCount = (seats: readonly SeatView[]): number => seats.filter(countsNow).length;

/** A place for one more run of the role: in a server with room, in a new one, or why there is none. */
export function choosePlace(seats: readonly SeatView[], need: RoleNeed, cap: number): Choice {
  const own = seats.filter((seat) => seat.role === need.name);
  const room = own.filter((seat) => living(seat) && seat.active < need.places);
  // A lent-only server would count again: it needs a seat like a new one.
  const usable = room.filter((seat) => countsNow(seat) || !seat.counts || hasRoom(seats, cap));
  const best = usable.sort(byReadiness)[0];
  if (best) return { kind: 'use', id: best.id };
  if (room.length > 0) return { kind: 'wait', why: 'slot', evict: victim(seats)?.id ?? null };
  return chooseStart(seats, need, cap);
}

/** Who should leave so that a seat becomes free; nobody while one is about to be free anyway. */
export const victim = (seats: readonly SeatView[]): SeatView | null =>
  seats.some((s) => s.counts && s.state === 'draining' && !s.handed) ? null : longestIdle(seats);

/** A new server for the role, whether or not others of it have room. */
export function chooseStart(seats: readonly SeatView[], need: RoleNeed, cap: number): Choice {
  const own = seats.filter((seat) => seat.role === need.name);
  const taken = new Set(own.filter(living).map((seat) => seat.instance));
  const free = Array.from({ length: need.instances }, (_, n) => n).filter((n) => !taken.has(n));
  const leaving = (n: number) => own.filter((s) => s.instance === n && !living(s));
  // An instance that nobody holds needs no waiting for the one that leaves.
  const instance = free.find((n) => leaving(n).length === 0) ?? free[0];
  if (instance === undefined) return { kind: 'wait', why: 'role', evict: null };
  const before = leaving(instance);
  const after = before.map((s) => s.id);
  const takes = before.find((s) => !s.handed)?.id ?? null;
  if (!need.counts || takes !== null || hasRoom(seats, cap))
    return { kind: 'start', instance, after, takes, evict: false };
  const idle = longestIdle(seats);
  return idle
    ? { kind: 'start', instance, after: [...after, idle.id], takes: idle.id, evict: true }
    : { kind: 'wait', why: 'slot', evict: null };
}

export const hasRoom = (seats: readonly SeatView[], cap: number): boolean =>
  processCount(seats) < cap;

/** The role server that has been without any run for longest. */
export function longestIdle(seats: readonly SeatView[]): SeatView | null {
  const idle = seats.filter(
    (s) => s.counts && !s.handed && s.state === 'ready' && s.idle_since !== null,
  );
  return idle.sort((a, b) => (a.idle_since ?? 0) - (b.idle_since ?? 0))[0] ?? null;
}

/** Ready ones first, then the one with the fewest runs. */
const byReadiness = (a: SeatView, b: SeatView): number =>
  Number(b.state === 'ready') - Number(a.state === 'ready') || a.active - b.active;

/** Signals that a program brings on itself. Others come from outside: the system, an operator, main. */
const OWN_SIGNALS = new Set([
  'SIGSEGV',
  'SIGABRT',
  'SIGBUS',
  'SIGILL',
  'SIGFPE',
  'SIGTRAP',
  'SIGSYS',
]);
export const ownFault = (exit: { code: number | null; signal: string | null }): boolean =>
  exit.signal === null || OWN_SIGNALS.has(exit.signal);

export type Probe = {
  answered: boolean;
  /** Monotonic ms: when the probe was due, sent, and settled. */
  due: number;
  sent: number;
  settled: number;
  deadline_ms: number;
  /** Monotonic ms of the last other sign of life. */
  last_sign: number;
  misses: number;
};
/** Ticks later than this were our own delay (SIGSTOP, suspend, a blocked loop), not the child's. */
const LATE_MS = 1_000;

/** Misses in a row after this probe. */
export function missesAfter(p: Probe): number {
  if (p.answered || p.last_sign >= p.sent) return 0;
  if (p.sent - p.due > LATE_MS || p.settled - p.sent > p.deadline_ms + LATE_MS) return 0;
  return p.misses + 1;
}
