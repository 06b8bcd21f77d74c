import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../support/until.ts';
import { apiKey, startWorld, type World } from './world.ts';

type Message = { type: string; id?: string; seq?: number; prev_seq?: number; [k: string]: unknown };

function open(world: World, protocols: string[] = ['troupe.v1'], headers = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/v1/ws`, protocols, { headers });
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(data.toString()) as Message));
  socket.on('error', () => {});
  const closed = new Promise<number>((resolve) => socket.on('close', (code) => resolve(code)));
  return {
    socket,
    messages,
    closed,
    ready: once(socket, 'open').catch(() => {}),
    say: (message: unknown) =>
      socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    of: (id: string) => messages.filter((m) => m.type === 'event' && m.id === id),
    has: (type: string) => messages.some((m) => m.type === type),
  };
}
type Client = ReturnType<typeof open>;

describe('/v1/ws', () => {
  let world: World;
  const clients: Client[] = [];
  const connect = async () => {
    const client = open(world);
    clients.push(client);
    await client.ready;
    return client;
  };
  beforeAll(async () => {
    world = await startWorld({
      config: { limits: { heartbeat_ms: 1_000, ws_subscriptions: 3 } },
    });
    for (let i = 0; i < 10; i += 1) world.emit({ kind: 'server', state: `s${i}`, role: 'coder' });
  });
  afterAll(async () => {
    for (const { socket } of clients) socket.terminate();
    await world.close();
  });

  it('speaks troupe.v1 and nothing else', async () => {
    const client = await connect();
    expect(client.socket.protocol).toBe('troupe.v1');
    const other = open(world, ['graphql-ws']);
    expect(await other.closed).toBe(1006);
    const plain = await world.get('/v1/ws');
    expect(plain.status).toBe(400);
    expect(await plain.text()).toContain('WebSocket');
  });
  it('carries several streams, each with its own filter and position', async () => {
    const client = await connect();
    client.say({ type: 'subscribe', id: 'all', after: 0 });
    client.say({ type: 'subscribe', id: 'tools', filter: { kinds: ['tool'] }, after: 'latest' });
    await until(() => client.of('all').length === world.log.length, 5_000, 'the replay');
    await until(
      () => client.messages.filter((m) => m.type === 'subscribed').length === 2,
      5_000,
      'both',
    );
    const tool = world.emit({ kind: 'tool', state: 'started', detail: 'read' }).seq;
    await until(() => client.of('tools').length === 1, 5_000, 'the tool event');
    expect(client.of('tools')[0]).toMatchObject({ seq: tool, kind: 'tool', detail: 'read' });
    const seqs = client.of('all').map((m) => m.seq);
    expect(seqs).toEqual(Array.from({ length: tool }, (_, i) => i + 1));
    expect(client.of('all').map((m) => m.prev_seq)).toEqual(seqs.map((s) => Number(s) - 1));
    client.say({ type: 'unsubscribe', id: 'all' });
    await until(() => client.has('unsubscribed'), 5_000, 'the answer');
    world.emit({ kind: 'tool', state: 'finished' });
    await until(() => client.of('tools').length === 2, 5_000, 'the second tool event');
    expect(client.of('all')).toHaveLength(tool);
  });
  it('answers ping and sends heartbeats', async () => {
    const client = await connect();
    client.say({ type: 'ping' });
    await until(() => client.has('pong') && client.has('heartbeat'), 5_000, 'pong and heartbeat');
  });
  it('refuses a position that has not been, without closing', async () => {
    const client = await connect();
    client.say({ type: 'subscribe', id: 'x', after: 999_999 });
    await until(() => client.has('error'), 5_000, 'the error');
    const error = client.messages.find((m) => m.type === 'error');
    expect(error).toMatchObject({ id: 'x', code: 'bad_request' });
    expect(error?.detail).toContain(`0 to ${world.log.length}`);
    client.say({ type: 'ping' });
    await until(() => client.has('pong'), 5_000, 'pong');
  });
  it.each([
    ['no JSON', '{"type":', 4400],
    ['no known type', { type: 'destroy' }, 4400],
    ['an unknown field', { type: 'ping', x: 1 }, 4400],
    ['an unknown kind', { type: 'subscribe', id: 'a', filter: { kinds: ['x'] } }, 4400],
    ['a position that is no number', { type: 'subscribe', id: 'a', after: '7' }, 4400],
    ['an empty id', { type: 'subscribe', id: '' }, 4400],
    ['more than 64 KiB', { type: 'ping', pad: 'x'.repeat(70_000) }, 1009],
  ])('closes on %s', async (_name, message, code) => {
    const client = await connect();
    client.say(message);
    expect(await client.closed).toBe(code);
  });
  it('closes on bytes and on too many subscriptions', async () => {
    const bytes = await connect();
    bytes.socket.send(Buffer.from([1, 2, 3]));
    expect(await bytes.closed).toBe(4400);
    const greedy = await connect();
    for (let i = 0; i < 4; i += 1) greedy.say({ type: 'subscribe', id: `s${i}`, after: 'latest' });
    expect(await greedy.closed).toBe(4429);
  });
  it('drops who does not read with resync and 1013; others get everything', async () => {
    const deaf = await connect();
    const good = await connect();
    for (const client of [deaf, good]) client.say({ type: 'subscribe', id: 's', after: 'latest' });
    await until(() => deaf.has('subscribed') && good.has('subscribed'), 5_000, 'both');
    deaf.socket.pause();
    const text = 'x'.repeat(16 * 1024);
    const first = world.log.length;
    for (let i = 0; i < 40; i += 1) {
      for (let j = 0; j < 10; j += 1) world.emit({ kind: 'output', state: 'text', data: { text } });
      await until(() => good.of('s').length === (i + 1) * 10, 10_000, 'the good reader');
    }
    expect(good.of('s').map((m) => m.seq)).toEqual(
      Array.from({ length: 400 }, (_, i) => first + i + 1),
    );
    deaf.socket.resume();
    // 1013 when it reads in time, a cut connection when it does not.
    expect([1013, 1006]).toContain(await deaf.closed);
    const got = deaf.of('s').map((m) => Number(m.seq));
    expect(got).toEqual(Array.from({ length: got.length }, (_, i) => first + i + 1));
    expect(got.length).toBeLessThan(400);
  });
  it('says resync with the last sequence before 1013', async () => {
    const client = await connect();
    client.say({ type: 'subscribe', id: 's', after: 'latest' });
    await until(() => client.has('subscribed'), 5_000, 'the answer');
    const text = 'x'.repeat(16 * 1024);
    // More than the socket's buffers take in one turn of the loop; then the reader goes on reading.
    for (let i = 0; i < 1_000; i += 1)
      world.emit({ kind: 'output', state: 'text', data: { text } });
    expect(await client.closed).toBe(1013);
    const resync = client.messages.at(-1);
    expect(resync).toMatchObject({ type: 'resync', id: 's', last_seq: client.of('s').at(-1)?.seq });
  });
});

describe('/v1/ws with API keys', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({
      config: {
        api_keys: [apiKey('r', 'good-key', ['read']), apiKey('w', 'run-only', ['run'])],
        limits: { ws_auth_ms: 300 },
      },
    });
    world.emit({ kind: 'server', state: 'ready' });
  });
  afterAll(() => world.close());
  const reads = async (client: Client) => {
    client.say({ type: 'subscribe', id: 's' });
    await until(() => client.of('s').length > 0, 5_000, 'an event');
    client.socket.terminate();
  };

  it('takes the key from a header, a subprotocol, or the first message', async () => {
    const byHeader = open(world, ['troupe.v1'], { authorization: 'Bearer good-key' });
    await byHeader.ready;
    await reads(byHeader);
    const encoded = Buffer.from('good-key').toString('base64url');
    const byProtocol = open(world, ['troupe.v1', `bearer.${encoded}`]);
    await byProtocol.ready;
    expect(byProtocol.socket.protocol).toBe('troupe.v1');
    await reads(byProtocol);
    const byMessage = open(world);
    await byMessage.ready;
    byMessage.say({ type: 'auth', token: 'good-key' });
    await reads(byMessage);
  });
  it('closes without one: 4401 unknown, 4403 not allowed, 4408 too late', async () => {
    const wrong = open(world);
    await wrong.ready;
    wrong.say({ type: 'auth', token: 'bad' });
    expect(await wrong.closed).toBe(4401);
    const eager = open(world);
    await eager.ready;
    eager.say({ type: 'subscribe', id: 's' });
    expect(await eager.closed).toBe(4401);
    expect(eager.of('s')).toEqual([]);
    const weak = open(world);
    await weak.ready;
    weak.say({ type: 'auth', token: 'run-only' });
    expect(await weak.closed).toBe(4403);
    const silent = open(world);
    expect(await silent.closed).toBe(4408);
  });
});
