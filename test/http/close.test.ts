import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../support/until.ts';
import { rawRequest } from './raw.ts';
import { openSse } from './stream-client.ts';
import { startWorld } from './world.ts';

describe('closing', () => {
  it('tells every reader, ends waits, and is done soon whatever hangs on', async () => {
    const world = await startWorld();
    const { task_id } = world.newTask('coder', 'x');
    const sse = await openSse(`${world.url}/v1/events`);
    const ws = new WebSocket(`ws://127.0.0.1:${world.port}/v1/ws`, ['troupe.v1']);
    const said: string[] = [];
    ws.on('message', (data) => said.push(data.toString()));
    const code = new Promise<number>((resolve) => ws.on('close', resolve));
    await new Promise((resolve) => ws.on('open', resolve));
    const waiting = world.get(`/v1/tasks/${task_id}?wait_ms=60000`);
    await until(() => world.waiters() > 0, 5_000, 'the wait to begin');
    const keepAlive = rawRequest(world.port, 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => keepAlive.received().includes('"ok"'), 5_000, 'an answer');
    const silent = rawRequest(world.port, 'GET /livez HTTP/1.1\r\nHost:');
    const deafWs = connect(world.port, '127.0.0.1');
    deafWs.on('error', () => {});
    deafWs.write(
      'GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await until(
      () =>
        world.get('/metrics').then(async (m) => (await m.text()).includes('troupe_ws_clients 2')),
      5_000,
      'both WebSockets',
    );

    const began = performance.now();
    await Promise.all([world.close(), world.close()]);
    expect(performance.now() - began).toBeLessThan(5_000);

    await sse.ended;
    expect(sse.frames.at(-1)).toMatchObject({ event: 'shutdown' });
    expect(sse.text()).toContain('retry: 2000');
    expect(await code).toBe(1012);
    expect(said.at(-1)).toContain('shutdown');
    expect(await (await waiting).json()).toMatchObject({ task_id, status: 'created' });
    await Promise.all([keepAlive.closed, silent.closed]);
    expect(world.hub.readers()).toBe(0);
    await expect(fetch(`${world.url}/livez`)).rejects.toThrow();
  });
  it('many waits at once are no reason for a warning', async () => {
    const warned: string[] = [];
    const hear = (warning: Error) => void warned.push(warning.message);
    process.on('warning', hear);
    const world = await startWorld();
    const { task_id } = world.newTask('coder', 'x');
    const waiting = Array.from({ length: 20 }, () =>
      world.get(`/v1/tasks/${task_id}?wait_ms=60000`),
    );
    await until(() => world.waiters() === 20, 5_000, 'the waits to begin');
    await world.close();
    await Promise.all(waiting);
    process.off('warning', hear);
    expect(warned).toEqual([]);
  });
  it('before listening, or while it begins, leaves nothing behind', async () => {
    const world = await startWorld();
    expect(world.server.address()?.port).toBe(world.port);
    await world.close();
    await world.close();
    expect(world.hub.readers()).toBe(0);
  });
  it('a port that is taken is an error that names it', async () => {
    const world = await startWorld();
    await expect(startWorld({ config: { port: world.port } })).rejects.toThrow(/EADDRINUSE/);
    await world.close();
  });
});
