import { expect, test } from 'vitest';
import {
  choosePlace,
  missesAfter,
  ownFault,
  processCount,
  type SeatView,
  victim,
} from '../../src/supervisor/policy.ts';

const seat = (changes: Partial<SeatView>): SeatView => ({
  id: 'a',
  role: 'coder',
  instance: 0,
  state: 'ready',
  active: 0,
  lent: 0,
  idle_since: null,
  handed: false,
  counts: true,
  ...changes,
});
const need = { name: 'coder', instances: 1, places: 2, counts: true };

test('a server with room is used, a ready one before one that starts', () => {
  const seats = [
    seat({ id: 'a', state: 'starting', active: 0 }),
    seat({ id: 'b', instance: 1, active: 1 }),
  ];
  expect(choosePlace(seats, { ...need, instances: 2 }, 5)).toEqual({ kind: 'use', id: 'b' });
});

test('a new server takes the lowest free instance', () => {
  const seats = [seat({ instance: 0, active: 2 }), seat({ id: 'c', instance: 2, active: 2 })];
  expect(choosePlace(seats, { ...need, instances: 3 }, 5)).toEqual({
    kind: 'start',
    instance: 1,
    after: [],
    takes: null,
    evict: false,
  });
});

test('a successor waits for the one that leaves, and takes over its seat', () => {
  const leaving = seat({ state: 'draining', active: 1 });
  expect(choosePlace([leaving], need, 1)).toEqual({
    kind: 'start',
    instance: 0,
    after: ['a'],
    takes: 'a',
    evict: false,
  });
  const successor = seat({ id: 'b', state: 'starting', active: 2 });
  expect(choosePlace([{ ...leaving, handed: true }, successor], need, 1)).toEqual({
    kind: 'wait',
    why: 'role',
    evict: null,
  });
});

test('a seat given away leaves its instance occupied until the process has gone', () => {
  const leaving = seat({ state: 'draining', handed: true });
  const other = seat({ id: 'b', role: 'planner', idle_since: 5 });
  const heir = seat({ id: 'c', role: 'backend', state: 'starting', active: 1 });
  expect(choosePlace([leaving, other, heir], need, 2)).toEqual({
    kind: 'start',
    instance: 0,
    after: ['a', 'b'],
    takes: 'b',
    evict: true,
  });
});

test('the process limit counts starting, ready and draining, but no lent or foreign ones', () => {
  const seats = [
    seat({ state: 'starting' }),
    seat({ active: 1, lent: 3 }),
    seat({ state: 'draining' }),
    seat({ lent: 2 }),
    seat({ counts: false, active: 1 }),
    seat({ state: 'draining', handed: true }),
  ];
  expect(processCount(seats)).toBe(3);
});

test('the longest idle leaves; nobody while a seat is becoming free anyway', () => {
  const seats = [
    seat({ id: 'young', idle_since: 20 }),
    seat({ id: 'old', idle_since: 10 }),
    seat({ id: 'lent', lent: 1 }),
  ];
  expect(victim(seats)?.id).toBe('old');
  expect(victim([...seats, seat({ id: 'leaving', state: 'draining' })])).toBeNull();
});

const probe = {
  answered: false,
  due: 1_000,
  sent: 1_000,
  settled: 6_000,
  deadline_ms: 5_000,
  last_sign: 0,
  misses: 2,
};
test('three probes without an answer are three misses', () => {
  expect(missesAfter(probe)).toBe(3);
  expect(missesAfter({ ...probe, answered: true })).toBe(0);
  expect(missesAfter({ ...probe, last_sign: 3_000 })).toBe(0);
});
test('a probe that we ourselves were late with says nothing', () => {
  // Stopped for 30 s before it was sent, or while it was under way.
  expect(missesAfter({ ...probe, sent: 31_000, settled: 36_000 })).toBe(0);
  expect(missesAfter({ ...probe, settled: 31_000 })).toBe(0);
});

test('whose fault an end was', () => {
  expect(ownFault({ code: 1, signal: null })).toBe(true);
  expect(ownFault({ code: 0, signal: null })).toBe(true);
  expect(ownFault({ code: null, signal: 'SIGSEGV' })).toBe(true);
  expect(ownFault({ code: null, signal: 'SIGKILL' })).toBe(false);
  expect(ownFault({ code: null, signal: 'SIGTERM' })).toBe(false);
});
