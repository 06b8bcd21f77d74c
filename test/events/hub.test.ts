import { describe, expect, it } from 'vitest';
import type { EventFilter, TroupeEvent } from '../../src/domain/event.ts';
import { silentLog } from '../../src/domain/ports.ts';
import { createHub, type Hub } from '../../src/events/hub.ts';
import { createEventLog } from '../../src/events/log.ts';
import { openTemp } from '../store/support.ts';
import { until } from '../support/until.ts';

async function openHub(given: { ringSize?: number; drainMs?: number } = {}) {
  const opened = await openTemp();
  const { store } = opened;
  const log = createEventLog({ store, log: silentLog });
  const hub = createHub({ reads: store.reads, ringSize: 50, ...given });
  log.listen(hub.publish);
  const append = (
    n: number,
    event: Partial<Pick<TroupeEvent, 'kind' | 'query_id' | 'detail'>> = {},
  ) =>
    Promise.all(
      Array.from({ length: n }, () =>
        store.tx((t) => t.events.append({ kind: 'tool', state: 'x', ...event })),
      ),
    );
  return { store, log, hub, append, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

type Got = { seq: number; prev: number; json: string };
/** A reader that notes everything. `room`: events it takes before its socket is full. */
function read(hub: Hub, after: number | null, filter: EventFilter = {}, room = Infinity) {
  const got: Got[] = [];
  const ends: [number, string][] = [];
  const reader = hub.subscribe({
    after,
    filter,
    push({ event, json }, prev) {
      got.push({ seq: event.seq, prev, json });
      return got.length < room;
    },
    resync: (last, why) => ends.push([last, why]),
  });
  return { got, ends, close: reader.close, seqs: () => got.map((g) => g.seq) };
}
const upTo = (n: number, from = 1) => Array.from({ length: n - from + 1 }, (_, i) => i + from);

/** Every event says which one this stream delivered before it: the reader can prove that it missed nothing. */
function expectChained(got: Got[], after: number): void {
  expect(got.map((g) => g.prev)).toEqual([after, ...got.slice(0, -1).map((g) => g.seq)]);
}

describe('hub', () => {
  it('replays from the store, then goes on live, without a gap or a repetition', async () => {
    await using at = await openHub();
    await at.append(450);
    const reader = read(at.hub, 0);
    const appending = at.append(300);
    await appending;
    await until(() => reader.got.length >= 750, 5000, 'the reader has everything');
    expect(reader.seqs()).toEqual(upTo(750));
    expectChained(reader.got, 0);
    await at.append(1);
    expect(reader.seqs().at(-1)).toBe(751);
    expect(reader.ends).toEqual([]);
  });

  it('serves two readers from different places with the same text', async () => {
    await using at = await openHub();
    await at.append(30);
    const [early, late] = [read(at.hub, 0), read(at.hub, 25)];
    await at.append(5);
    await until(() => early.got.length === 35 && late.got.length === 10, 5000, 'both are live');
    expect(late.seqs()).toEqual(upTo(35, 26));
    expectChained(late.got, 25);
    expect(late.got.map((g) => g.json)).toEqual(early.got.slice(25).map((g) => g.json));
    expect(JSON.parse(late.got.at(-1)?.json ?? '')).toEqual(
      (await at.store.reads.events.after(34, {}, 1))[0],
    );
    expect(at.hub.readers()).toBe(2);
    early.close();
    late.close();
    late.close();
    expect(at.hub.readers()).toBe(0);
  });

  it('filters, and chains what the filter lets through', async () => {
    await using at = await openHub({ ringSize: 4 });
    for (const query_id of ['a', 'b', 'a', 'b']) await at.append(5, { query_id });
    const reader = read(at.hub, 2, { query_id: 'a' });
    await until(() => reader.got.length === 8, 5000, 'the replay');
    await at.append(3, { query_id: 'b' });
    await at.append(1, { query_id: 'a' });
    expect(reader.seqs()).toEqual([3, 4, 5, 11, 12, 13, 14, 15, 24]);
    expectChained(reader.got, 2);
  });

  it('starts from now when no place is named', async () => {
    await using at = await openHub();
    await at.append(3);
    const reader = read(at.hub, null);
    await at.append(2);
    await until(() => reader.got.length === 2, 5000, 'the live events');
    expect(reader.seqs()).toEqual([4, 5]);
    expectChained(reader.got, 3);
  });

  it('serves a reader who is nearly up to date from memory', async () => {
    await using at = await openHub();
    await at.append(100);
    let asked = 0;
    const events = {
      last: () => at.store.reads.events.last(),
      removed: async () => 0,
      after: (...args: Parameters<typeof at.store.reads.events.after>) => {
        asked += 1;
        return at.store.reads.events.after(...args);
      },
    };
    const hub = createHub({ reads: { events }, ringSize: 40 });
    hub.publish(await at.store.reads.events.after(0, {}, 100));
    const near = read(hub, 70);
    await until(() => near.got.length === 30, 5000, 'from memory');
    expect(asked).toBe(0);
    const far = read(hub, 10);
    await until(() => far.got.length === 90, 5000, 'from the store');
    expect(asked).toBeGreaterThan(0);
    expect(far.seqs()).toEqual(upTo(100, 11));
  });

  it('tells a reader that asks for the future', async () => {
    await using at = await openHub();
    await at.append(2);
    const reader = read(at.hub, 7);
    await until(() => reader.ends.length > 0, 5000, 'the answer');
    expect(reader.ends).toEqual([[2, 'ahead']]);
    expect(at.hub.readers()).toBe(0);
  });

  it('tells a slow live reader where it stands and drops it; the others get everything', async () => {
    await using at = await openHub();
    const slow = read(at.hub, 0, {}, 5);
    const good = read(at.hub, 0);
    await at.append(20);
    await until(() => good.got.length === 20, 5000, 'the good reader');
    expect(slow.seqs()).toEqual(upTo(5));
    expect(slow.ends).toEqual([[5, 'slow']]);
    expect(at.hub.readers()).toBe(1);
    const again = read(at.hub, 5);
    await until(() => again.got.length === 15, 5000, 'the rest after the resync');
    expect(again.seqs()).toEqual(upTo(20, 6));
  });

  it('replays at the pace of the socket, and gives up on one that never drains', async () => {
    await using at = await openHub({ ringSize: 10, drainMs: 50 });
    await at.append(300);
    const got: number[] = [];
    let filled = 0;
    let drains = 0;
    const ends: unknown[] = [];
    at.hub.subscribe({
      after: 0,
      filter: {},
      push({ event }) {
        got.push(event.seq);
        filled += 1;
        return filled < 20;
      },
      async drained() {
        drains += 1;
        filled = 0;
        if (got.length >= 200) await new Promise(() => undefined);
      },
      resync: (...end) => ends.push(end),
    });
    await until(() => ends.length > 0, 5000, 'the end');
    expect(got).toEqual(upTo(200));
    expect(drains).toBe(10);
    expect(ends).toEqual([[200, 'slow']]);
  });

  it('drops a reader that throws, and nobody else notices', async () => {
    await using at = await openHub();
    at.hub.subscribe({
      after: 0,
      filter: {},
      push() {
        throw new Error('socket gone');
      },
      resync: () => undefined,
    });
    const good = read(at.hub, 0);
    await at.append(3);
    await until(() => good.got.length === 3, 5000, 'the good reader');
    expect(at.hub.readers()).toBe(1);
  });

  it('keeps no more than its bound while readers that never drain look on', async () => {
    const size = 20_000;
    let published = 1;
    const hub = createHub({
      reads: {
        events: { last: async () => published, removed: async () => 0, after: async () => [] },
      },
      ringSize: 100,
    });
    const event = (seq: number): TroupeEvent => ({
      seq,
      kind: 'output',
      state: 'text',
      detail: '',
      query_id: null,
      task_id: null,
      agent_id: null,
      role: null,
      data: { text: 'x'.repeat(size) },
      at: '',
    });
    hub.publish([event(published)]);
    const stuck = Array.from({ length: 100 }, () => read(hub, 0, {}, 2));
    await until(() => stuck.every((s) => s.got.length === 1), 5000, 'all readers are live');
    const before = process.memoryUsage().rss;
    while (published < 20_000) {
      published += 1;
      hub.publish([event(published)]);
    }
    expect(hub.readers()).toBe(0);
    expect(stuck.every((s) => s.got.length === 2 && s.ends[0]?.[1] === 'slow')).toBe(true);
    // 400 MB went through; 2 MB of it may stay. The rest of the allowance is the collector's.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });
});

describe('waitFor', () => {
  it('answers with the first event that satisfies', async () => {
    await using at = await openHub();
    const waiting = at.hub.waitFor({ query_id: 'q' }, (e) => e.detail === 'done', 5000);
    await at.append(1, { query_id: 'other', detail: 'done' });
    await at.append(1, { query_id: 'q', detail: 'not yet' });
    await at.append(2, { query_id: 'q', detail: 'done' });
    expect((await waiting)?.seq).toBe(3);
  });

  it('answers null at its deadline, when aborted and when the hub closes', async () => {
    await using at = await openHub();
    const never = () => false;
    expect(await at.hub.waitFor({}, never, 5)).toBeNull();
    expect(await at.hub.waitFor({}, never, 60_000, AbortSignal.abort())).toBeNull();
    const stop = new AbortController();
    const aborted = at.hub.waitFor({}, never, 60_000, stop.signal);
    stop.abort();
    expect(await aborted).toBeNull();
    // Longer than a timer can count: it must not fire at once.
    const open = at.hub.waitFor({}, () => true, 2 ** 40);
    await at.append(1);
    expect((await open)?.seq).toBe(1);
    const closed = at.hub.waitFor({}, never, 60_000);
    at.hub.close();
    expect(await closed).toBeNull();
  });

  it('rejects when the predicate throws, without disturbing the others', async () => {
    await using at = await openHub();
    const bad = at.hub.waitFor({}, () => JSON.parse('{'), 5000);
    const good = at.hub.waitFor({}, () => true, 5000);
    const [refused] = await Promise.allSettled([bad, at.append(1)]);
    expect(refused.status).toBe('rejected');
    expect((await good)?.seq).toBe(1);
  });
});

describe('event log', () => {
  it('hands each commit to every listener in order until it stops listening', async () => {
    await using at = await openHub();
    const [one, two]: number[][] = [[], []];
    at.log.listen(() => {
      throw new Error('listener bug');
    });
    const stop = at.log.listen((events) => one?.push(...events.map((e) => e.seq)));
    at.log.listen((events) => two?.push(...events.map((e) => e.seq)));
    await at.append(3);
    stop();
    await at.append(2);
    expect(one).toEqual([1, 2, 3]);
    expect(two).toEqual([1, 2, 3, 4, 5]);
  });
});
