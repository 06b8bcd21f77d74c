import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TroupeEvent } from '../../src/domain/event.ts';
import { until } from '../support/until.ts';
import { openSse } from './stream-client.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ config: { limits: { heartbeat_ms: 50 } } });
  for (let i = 0; i < 20; i += 1) world.emit({ kind: 'server', state: `s${i}`, role: 'coder' });
});
afterAll(() => world.close());

const upTo = (n: number, from = 0) => Array.from({ length: n - from }, (_, i) => from + i + 1);

describe('JSON pages of events', () => {
  it('begin after a sequence and lead on by Link', async () => {
    const answer = await world.get('/v1/events?after=3&limit=5');
    const page = (await answer.json()) as { data: TroupeEvent[]; next_cursor: string };
    expect(page.data.map((e) => e.seq)).toEqual([4, 5, 6, 7, 8]);
    expect(page.next_cursor).toBe('8');
    const next = /<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
    const more = (await (await world.get(next)).json()) as { data: TroupeEvent[] };
    expect(more.data[0]?.seq).toBe(9);
  });
  it('are filtered; unknown kinds are refused with the known ones', async () => {
    const none = await (await world.get('/v1/events?kinds=query,tool')).json();
    expect(none).toEqual({ data: [], next_cursor: null });
    const wrong = await world.get('/v1/events?kinds=servers');
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('subagent');
  });
});

describe('a stream', () => {
  it('replays, goes on live, and says what came before each event', async () => {
    const reader = await openSse(`${world.url}/v1/events`);
    expect(reader.answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    await until(() => reader.frames.length >= world.log.length, 5_000, 'the replay');
    const { seq } = world.emit({ kind: 'notice', state: 'steer', detail: 'a\nb' });
    await until(() => reader.seqs().includes(seq), 5_000, 'the live event');
    expect(reader.seqs()).toEqual(upTo(seq));
    const last = reader.frames.at(-1);
    expect(last).toMatchObject({ id: String(seq), event: 'notice' });
    expect(JSON.parse(last?.data ?? '')).toMatchObject({ prev_seq: seq - 1, detail: 'a\nb' });
    reader.stop();
  });
  it('sends heartbeats that are no events', async () => {
    const reader = await openSse(`${world.url}/v1/events?after=latest`);
    await until(() => reader.text().split(': heartbeat').length > 3, 5_000, 'heartbeats');
    expect(reader.frames).toEqual([]);
    reader.stop();
  });
  it('goes on after Last-Event-ID: every event exactly once', async () => {
    const seen: number[] = [];
    let last = world.log.length;
    const start = last;
    for (let round = 0; round < 10; round += 1) {
      for (let i = 0; i < 5; i += 1) world.emit({ kind: 'tool', state: 'started' });
      // The header wins over the query string, which a browser repeats as it was.
      const reader = await openSse(`${world.url}/v1/events?after=0`, {
        'last-event-id': String(last),
      });
      world.emit({ kind: 'tool', state: 'finished' });
      const want = 1 + Math.floor(Math.random() * 6);
      await until(() => reader.seqs().length >= want, 5_000, 'some events');
      reader.stop();
      const got = reader.seqs().slice(0, want);
      seen.push(...got);
      last = got.at(-1) ?? last;
    }
    expect(seen).toEqual(upTo(last, start));
  });
  it('shows two readers the same', async () => {
    const [a, b] = await Promise.all([
      openSse(`${world.url}/v1/events`),
      openSse(`${world.url}/v1/events?after=0`),
    ]);
    for (let i = 0; i < 50; i += 1)
      world.emit({ kind: 'output', state: 'text', data: { text: `t${i}` } });
    const all = world.log.length;
    await until(() => a.frames.length === all && b.frames.length === all, 5_000, 'both readers');
    expect(a.frames).toEqual(b.frames);
    a.stop();
    b.stop();
  });
  it('carries prev_seq of its own filter', async () => {
    const first = world.emit({ kind: 'branch', state: 'no' }).seq;
    world.emit({ kind: 'tool', state: 'started' });
    const second = world.emit({ kind: 'branch', state: 'yes' }).seq;
    const reader = await openSse(`${world.url}/v1/events?kinds=branch&after=0`);
    await until(() => reader.frames.length === 2, 5_000, 'both');
    const data = reader.frames.map((f) => JSON.parse(f.data) as { prev_seq: number; seq: number });
    expect(data.map((d) => [d.prev_seq, d.seq])).toEqual([
      [0, first],
      [first, second],
    ]);
    reader.stop();
  });
  it.each(['abc', '-1', '1e3', '99999999', '12345678901234567890'])(
    'from "%s" is 400 and says what is allowed',
    async (id) => {
      const accept = { accept: 'text/event-stream' };
      for (const answer of [
        await world.get('/v1/events', { ...accept, 'last-event-id': id }),
        await world.get(`/v1/events?after=${id}`, accept),
        await world.get(`/v1/events?after=${id}`),
      ]) {
        expect(answer.status).toBe(400);
        expect(await answer.text()).toContain(`0 to ${world.log.length}`);
      }
    },
  );
  it('forgets readers that have gone', async () => {
    await until(() => world.hub.readers() <= 1, 5_000, 'old readers to be forgotten');
    const before = world.hub.readers();
    const readers = await Promise.all(
      Array.from({ length: 30 }, () => openSse(`${world.url}/v1/events`)),
    );
    await until(() => world.hub.readers() === before + 30, 5_000, 'thirty readers');
    for (const reader of readers) reader.stop();
    await until(() => world.hub.readers() === before, 5_000, 'no readers');
  });
});

describe('the stream of one task or query', () => {
  it('ends after the last event, with how it ended', async () => {
    const { task_id } = world.newTask('coder', 'x');
    const reader = await openSse(`${world.url}/v1/tasks/${task_id}/events`);
    world.moveTask(task_id, 'running');
    world.say(task_id, 'hello');
    world.moveTask(task_id, 'completed', 'hello');
    await reader.ended;
    expect(reader.frames.map((f) => f.event)).toEqual(['subagent', 'output', 'subagent', 'end']);
    expect(JSON.parse(reader.frames.at(-1)?.data ?? '')).toEqual({
      task_id,
      status: 'completed',
      last_seq: world.log.length,
    });
  });
  it('does not end with an attempt that an alternate follows', async () => {
    const { task_id } = world.newTask('coder', 'x');
    const reader = await openSse(`${world.url}/v1/tasks/${task_id}/events`);
    world.moveTask(task_id, 'running');
    // One unit of work: the attempt failed, the task goes on.
    world.emit({ kind: 'subagent', state: 'failed', task_id });
    await until(() => reader.frames.length === 2, 5_000, 'the failed attempt');
    world.moveTask(task_id, 'completed', 'by the alternate');
    await reader.ended;
    expect(reader.frames.map((f) => f.event)).toEqual(['subagent', 'subagent', 'subagent', 'end']);
  });
  it('replays an ended one whole and ends; again from the last event: only the end', async () => {
    const { query_id } = await world.services.queries.create({ input: 'x' }, {});
    for (let i = 0; i < 300; i += 1) world.emit({ kind: 'output', state: 'text', query_id });
    world.moveQuery(query_id, 'completed');
    const whole = await openSse(`${world.url}/v1/queries/${query_id}/events`);
    await whole.ended;
    expect(whole.seqs()).toHaveLength(302);
    expect(whole.frames.at(-1)?.event).toBe('end');
    const rest = await openSse(`${world.url}/v1/queries/${query_id}/events`, {
      'last-event-id': String(whole.seqs().at(-1)),
    });
    await rest.ended;
    expect(rest.frames.map((f) => f.event)).toEqual(['end']);
  });
  it('is a JSON page for who does not ask for a stream', async () => {
    const { task_id } = world.newTask('coder', 'x');
    world.moveTask(task_id, 'running');
    const page = (await (await world.get(`/v1/tasks/${task_id}/events`)).json()) as {
      data: TroupeEvent[];
    };
    expect(page.data.map((e) => e.state)).toEqual(['running']);
  });
});

describe('a reader that does not read', () => {
  const big = 'x'.repeat(16 * 1024);
  function deaf(path: string) {
    const socket = connect(world.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`);
    return socket;
  }
  it('is dropped with resync, costs bounded memory, and disturbs nobody', async () => {
    await until(() => world.hub.readers() <= 1, 5_000, 'old readers to be forgotten');
    const before = world.hub.readers();
    const sockets = Array.from({ length: 5 }, () => deaf('/v1/events?after=latest'));
    const good = await openSse(`${world.url}/v1/events?after=latest`);
    await until(() => world.hub.readers() === before + 6, 5_000, 'all readers');
    const first = world.log.length;
    const memory = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
    for (let i = 0; i < 40; i += 1) {
      for (let j = 0; j < 10; j += 1)
        world.emit({ kind: 'output', state: 'text', data: { text: big } });
      await until(() => good.seqs().length === (i + 1) * 10, 10_000, 'the good reader');
    }
    await until(() => world.hub.readers() === before + 1, 10_000, 'the deaf readers to be dropped');
    expect(good.seqs()).toEqual(upTo(world.log.length, first));
    const now = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
    expect(now - memory).toBeLessThan(64 * 1024 * 1024);
    // What it has not read is still in its socket; the last words come after it, or it was cut.
    for (const socket of sockets) {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.resume();
      await until(() => socket.destroyed, 10_000, 'the connection to end');
      expect(text.length).toBeLessThan(16 * 1024 * 1024);
    }
    good.stop();
    const metrics = await (await world.get('/metrics')).text();
    expect(Number(/^troupe_reader_resyncs_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(4);
  });
  it('that reads again in time is told where it is', async () => {
    const reader = await openSse(`${world.url}/v1/events?after=latest`);
    reader.answer.pause();
    // More than a socket's buffers take, at once.
    for (let i = 0; i < 1_000; i += 1)
      world.emit({ kind: 'output', state: 'text', data: { text: big } });
    reader.answer.resume();
    await reader.ended;
    const last = reader.frames.at(-1);
    const lastSeq = reader.seqs().at(-1);
    expect(JSON.parse(last?.data ?? '')).toMatchObject({ last_seq: lastSeq });
    expect(last?.event).toBe('resync');
    expect(JSON.parse(last?.data ?? '')).toMatchObject({ reason: 'slow' });
    const again = await openSse(`${world.url}/v1/events`, { 'last-event-id': String(lastSeq) });
    const missed = world.log.length - Number(lastSeq);
    expect(missed).toBeGreaterThan(0);
    await until(() => again.seqs().length === missed, 15_000, 'what was missed');
    expect(again.seqs()).toEqual(upTo(world.log.length, lastSeq));
    again.stop();
  });
});
