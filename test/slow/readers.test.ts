// Readers of events on the built product: cut in mid-stream, slow, deaf, or lost. Nothing is missed, nothing grows.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSse } from '../http/stream-client.ts';
import { openSocket } from '../support/event-socket.ts';
import { MEASURED, settledBytes } from '../support/memory.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

type Seen = { seq: number; prev_seq: number };
const MIB = 1024 * 1024;

/** So many tasks at once until `count` have ended, each with `text` as its answer. */
async function work(troupe: Troupe, count: number, text: string, at_once = 20): Promise<void> {
  const roles = ['coder', 'planner', 'reviewer', 'backend'];
  let started = 0;
  const worker = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      const task = await troupe.start(roles[started % roles.length] as string, text);
      await troupe.ended(task.task_id);
    }
  };
  await Promise.all(Array.from({ length: at_once }, worker));
}
const lastSeq = async (troupe: Troupe): Promise<number> => (await troupe.events()).at(-1)?.seq ?? 0;

/** A line to the server that is cut when it has carried so many bytes, wherever that is in the stream. */
async function scissors(
  url: string,
  bytes: () => number,
): Promise<{ url: string; cuts(): number }> {
  let cuts = 0;
  const both = (a: Socket, b: Socket): void => {
    a.on('error', () => {});
    a.on('close', () => b.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1');
    let left = bytes();
    both(client, upstream);
    both(upstream, client);
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      client.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left > 0) return;
      cuts += 1;
      client.destroySoon();
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cuts: () => cuts };
}

/** Every event once, and each names the one before it. */
function expectWhole(seen: Seen[], last: number): void {
  expect(seen.map((e) => e.seq)).toEqual(Array.from({ length: last }, (_, i) => i + 1));
  expect(seen.map((e) => e.prev_seq)).toEqual(Array.from({ length: last }, (_, i) => i));
}

describe('a reader', { timeout: 60_000 }, () => {
  it('that is cut many times and reconnects gets every event exactly once, by SSE and by WebSocket', async () => {
    const troupe = await startTroupe();
    const line = await scissors(troupe.url, () => 2_000 + Math.floor(Math.random() * 12_000));
    let over = false;
    const position = (seen: Seen[]): number => seen.at(-1)?.seq ?? 0;
    async function follow(open: (after: number) => Promise<Seen[]>): Promise<Seen[]> {
      const seen: Seen[] = [];
      let end = Number.POSITIVE_INFINITY;
      while (position(seen) < end) {
        seen.push(...(await open(position(seen))));
        if (over) end = await lastSeq(troupe);
      }
      return seen;
    }
    /** A stream that is over when the line is cut, or when all that there is has come. */
    const done = async (closed: Promise<unknown>, last: () => number): Promise<void> => {
      let cut = false;
      void closed.then(() => {
        cut = true;
      });
      await until(async () => cut || (over && last() >= (await lastSeq(troupe))), 40_000, 'a cut');
    };
    const bySse = follow(async (after) => {
      const headers: Record<string, string> = after === 0 ? {} : { 'last-event-id': `${after}` };
      const reader = await openSse(`${line.url}/v1/events`, headers).catch(() => null);
      if (reader === null) return [];
      await done(reader.ended, () => reader.seqs().at(-1) ?? after);
      reader.stop();
      return reader.frames.filter((f) => f.id !== null).map((f) => JSON.parse(f.data) as Seen);
    });
    const bySocket = follow(async (after) => {
      const reader = await openSocket(line.url, after).catch(() => null);
      if (reader === null) return [];
      await done(reader.closed, () => reader.seqs().at(-1) ?? after);
      reader.socket.terminate();
      return reader.messages.filter((m) => m.type === 'event') as unknown as Seen[];
    });
    await work(troupe, 120, '[[tool list {}]] '.padEnd(300, 'x'));
    over = true;
    const last = await lastSeq(troupe);
    expect(last).toBeGreaterThan(500);
    expectWhole(await bySse, last);
    expectWhole(await bySocket, last);
    expect(line.cuts()).toBeGreaterThan(20);
  });

  it('sees the same as every other', async () => {
    const troupe = await startTroupe();
    const early = await openSse(`${troupe.url}/v1/events`);
    const socket = await openSocket(troupe.url, 0);
    await work(troupe, 30, 'hello');
    const late = await openSse(`${troupe.url}/v1/events?after=0`);
    const last = await lastSeq(troupe);
    const all = () => [early, socket, late].every((r) => r.seqs().at(-1) === last);
    await until(all, 20_000, 'all three have everything');
    expect(late.frames).toEqual(early.frames);
    const plain = socket.messages
      .filter((m) => m.type === 'event')
      .map(({ type: _type, id: _id, ...event }) => event);
    expect(plain).toEqual(early.frames.map((f) => JSON.parse(f.data)));
    expect(plain.map(({ prev_seq: _prev, ...event }) => event)).toEqual(await troupe.events());
    for (const reader of [early, late]) reader.stop();
    socket.socket.terminate();
  });

  it('that never reads gets resync and does not make main grow', async () => {
    const troupe = await startTroupe({ env: MEASURED });
    const metric = async (name: string): Promise<number> => {
      const { body } = await troupe.ask<string>('GET', '/metrics');
      return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(body)?.[1]);
    };
    const text = 'x'.repeat(30_000);
    await work(troupe, 50, text);
    const readers = 30;
    const deaf = await Promise.all(
      Array.from({ length: readers / 2 }, async () => {
        const [sse, socket] = [
          await openSse(`${troupe.url}/v1/events?after=latest`),
          await openSocket(troupe.url, 'latest'),
        ];
        await until(() => socket.messages.length > 0, 10_000, 'the subscription');
        sse.answer.pause();
        socket.socket.pause();
        return { sse, socket };
      }),
    );
    const open = async () =>
      (await metric('troupe_sse_clients')) + (await metric('troupe_ws_clients'));
    expect(await open()).toBe(readers);
    const before = await settledBytes(troupe);
    await work(troupe, 250, text);
    // The newest events that are kept for everybody take some. Without a bound: 30 times 7.5 MB.
    expect((await settledBytes(troupe)) - before).toBeLessThan(110 * MIB);
    expect(await metric('troupe_reader_resyncs_total')).toBe(readers);
    await until(async () => (await open()) === 0, 10_000, 'main has let go of them');
    for (const { sse, socket } of deaf) {
      sse.stop();
      socket.socket.terminate();
    }
  });

  it('that is only slow is told where to go on, and misses nothing', async () => {
    const troupe = await startTroupe();
    const slow = await openSse(`${troupe.url}/v1/events`);
    const socket = await openSocket(troupe.url, 0);
    slow.answer.pause();
    socket.socket.pause();
    await until(
      async () => {
        await work(troupe, 50, 'x'.repeat(30_000));
        const { body } = await troupe.ask<string>('GET', '/metrics');
        return /^troupe_reader_resyncs_total 2$/m.test(body);
      },
      40_000,
      'both are too slow',
    );
    slow.answer.resume();
    socket.socket.resume();
    await slow.ended;
    const got = slow.seqs();
    expect(got).toEqual(Array.from({ length: got.length }, (_, i) => i + 1));
    const last = slow.frames.at(-1);
    // The last words, when they still got through: from where to go on.
    if (last?.event === 'resync')
      expect(JSON.parse(last.data)).toMatchObject({ last_seq: got.at(-1), reason: 'slow' });
    expect([1013, 1006]).toContain(await socket.closed);
    const rest = await openSse(`${troupe.url}/v1/events?after=${got.at(-1) ?? 0}`);
    const end = await lastSeq(troupe);
    await until(() => rest.seqs().at(-1) === end, 20_000, 'the rest');
    expect([...got, ...rest.seqs()]).toEqual(Array.from({ length: end }, (_, i) => i + 1));
    rest.stop();
  });

  it('that asks for what has not happened, or was never an event, gets a clear 400', async () => {
    const troupe = await startTroupe();
    await work(troupe, 1, 'hello', 1);
    const last = await lastSeq(troupe);
    const ids = [`${last + 1}`, '99999999999', '-1', '1.5', '1e3', '0x10', 'abc', '٣', '%00'];
    for (const id of ids) {
      const answers = [await troupe.ask<object>('GET', `/v1/events?after=${id}`)];
      if (!id.startsWith('%') && id !== '٣')
        answers.push(
          await troupe.ask('GET', '/v1/events', undefined, {
            ...{ accept: 'text/event-stream', 'last-event-id': id },
          }),
        );
      for (const { status, body } of answers) {
        expect({ id, status, body }).toMatchObject({ status: 400, body: { code: 'bad_request' } });
        if (id !== '%00') expect(JSON.stringify(body)).toContain(`0 to ${last}`);
      }
    }
    const socket = await openSocket(troupe.url, last + 1);
    await until(() => socket.messages.length > 0, 10_000, 'the answer');
    expect(socket.messages[0]).toMatchObject({ type: 'error', id: 's', code: 'bad_request' });
    socket.socket.terminate();
  });
});
