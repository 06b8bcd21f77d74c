import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { refuseHost, refuseOrigin } from '../../src/http/host.ts';
import { apiKey, startWorld, type World } from './world.ts';

/** fetch does not let a caller choose Host or Origin. */
function call(
  world: World,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${world.url}${path}`, { headers, method }, (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (text) => {
        body += text;
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
      );
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? '{"subagent_type":"coder","description":"x"}' : undefined);
  });
}
const refusedUpgrade = (world: World, headers: Record<string, string>, protocols?: string[]) =>
  new Promise<number>((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${world.port}/v1/ws`, protocols ?? ['troupe.v1'], {
      headers,
    });
    socket.on('unexpected-response', (_request, answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    socket.on('open', () => {
      resolve(101);
      socket.terminate();
    });
    socket.on('error', () => {});
  });

describe('Host and Origin', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({
      config: { allowed_hosts: ['troupe.example'], allowed_origins: ['https://app.example'] },
    });
  });
  afterAll(() => world.close());

  it('refuses a name that was rebound to this machine, also for health and before a body', async () => {
    for (const path of ['/v1/tasks', '/livez', '/openapi.json', '/nothing']) {
      const answer = await call(world, path, { host: 'evil.example' });
      expect(answer.status).toBe(421);
      expect(answer.body).toContain('allowed_hosts');
    }
    const before = world.calls.length;
    const posted = await call(
      world,
      '/v1/tasks',
      { host: 'evil.example', 'content-type': 'application/json' },
      'POST',
    );
    expect(posted.status).toBe(421);
    expect(world.calls).toHaveLength(before);
    expect(await refusedUpgrade(world, { host: 'evil.example' })).toBe(421);
  });
  it('answers to loopback names with any port and to the names that are allowed', async () => {
    for (const host of ['localhost:9', '127.0.0.1', '[::1]:8787', 'TROUPE.example', 'localhost.'])
      expect((await call(world, '/livez', { host })).status).toBe(200);
  });
  it('refuses pages from elsewhere, whatever they send', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', 'file://']) {
      const headers = { origin, 'content-type': 'application/json' };
      const answer = await call(world, '/v1/tasks', headers, 'POST');
      expect(answer.status).toBe(403);
      expect(answer.body).toContain('allowed_origins');
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(await refusedUpgrade(world, { origin: 'https://evil.example' })).toBe(403);
  });
  it('lets its own pages and the allowed ones in', async () => {
    const own = await call(world, '/v1/tasks', { origin: world.url });
    expect(own.status).toBe(200);
    const allowed = await call(world, '/v1/tasks', { origin: 'https://app.example' });
    expect(allowed.headers['access-control-allow-origin']).toBe('https://app.example');
    const asked = await call(
      world,
      '/v1/tasks',
      { origin: 'https://app.example', 'access-control-request-method': 'POST' },
      'OPTIONS',
    );
    expect(asked.status).toBe(204);
    expect(asked.headers['access-control-allow-headers']).toContain('idempotency-key');
    expect(await refusedUpgrade(world, { origin: world.url })).toBe(101);
  });
  it('takes addresses on a public bind, names only from the list', () => {
    const door = { host: '0.0.0.0', allowed_hosts: [], allowed_origins: [] };
    expect(refuseHost('192.0.2.7:8787', door)).toBeNull();
    expect(refuseHost('[2001:db8::1]', door)).toBeNull();
    expect(refuseHost('rebound.example', door)?.code).toBe('misdirected');
    expect(refuseHost('192.0.2.7', { ...door, host: '127.0.0.1' })?.code).toBe('misdirected');
    expect(refuseHost('user@localhost', door)?.code).toBe('misdirected');
    expect(refuseOrigin('http://192.0.2.7:8787', '192.0.2.7:8787', door)).toBeNull();
  });
});

describe('API keys', () => {
  let world: World;
  const reader = { authorization: 'Bearer read-key' };
  beforeAll(async () => {
    world = await startWorld({
      config: {
        api_keys: [
          apiKey('reader', 'read-key', ['read']),
          apiKey('worker', 'run-key', ['read', 'run']),
          apiKey('boss', 'admin-key', ['admin']),
        ],
        limits: { bad_keys_per_minute: 12 },
      },
    });
  });
  afterAll(() => world.close());

  it('are needed for everything but health and the documents', async () => {
    for (const path of ['/livez', '/readyz', '/healthz', '/ok', '/openapi.json'])
      expect((await world.get(path)).status).toBe(200);
    for (const path of ['/v1/tasks', '/v1/status', '/metrics', '/v1/events', '/nothing']) {
      const answer = await world.get(path);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
  });
  it('are taken as a bearer token or as x-api-key', async () => {
    expect((await world.get('/v1/tasks', reader)).status).toBe(200);
    expect((await world.get('/v1/tasks', { 'x-api-key': 'read-key' })).status).toBe(200);
  });
  it('do what their scopes say', async () => {
    const body = { subagent_type: 'coder', description: 'x' };
    const refused = await world.post('/v1/tasks', body, reader);
    expect(refused.status).toBe(403);
    expect(((await refused.json()) as { detail: string }).detail).toContain('run');
    expect((await world.post('/v1/tasks', body, { 'x-api-key': 'run-key' })).status).toBe(202);
    const stop = (key: string) => world.post('/v1/servers/coder/stop', {}, { 'x-api-key': key });
    expect((await stop('run-key')).status).toBe(403);
    expect((await stop('admin-key')).status).toBe(200);
    expect((await world.get('/v1/tasks', { 'x-api-key': 'admin-key' })).status).toBe(200);
  });
  it('that are wrong are 401, then 429; right ones still pass', async () => {
    for (const wrong of ['read-ke', 'read-keyy', 'READ-KEY', 'x'.repeat(8_000)]) {
      const answer = await world.get('/v1/tasks', { authorization: `Bearer ${wrong}` });
      expect(answer.status).toBe(401);
      expect(await answer.text()).not.toContain(wrong);
    }
    const statuses: number[] = [];
    for (let i = 0; i < 20; i += 1)
      statuses.push((await world.get('/v1/tasks', { 'x-api-key': `guess-${i}` })).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await world.get('/v1/tasks', reader)).status).toBe(200);
  });
  it('guard the WebSocket before the upgrade when one is shown', async () => {
    expect(await refusedUpgrade(world, { authorization: 'Bearer wrong' })).toBeGreaterThan(400);
    const bearer = `bearer.${Buffer.from('wrong').toString('base64url')}`;
    expect(await refusedUpgrade(world, {}, ['troupe.v1', bearer])).toBeGreaterThan(400);
  });
});

describe('routes that others mount', () => {
  it('are behind the same door and answer errors in their own shape', async () => {
    const world = await startWorld({
      config: { api_keys: [apiKey('r', 'read-key', ['read'])] },
      mounts: [
        (app) => {
          app.setErrorHandler((_error, _request, reply) => reply.code(418).send({ mine: true }));
          app.get('/info', { config: { scope: 'open' } }, async () => ({ open: true }));
          app.get('/threads', async () => ({ threads: [] }));
          app.get('/broken', { config: { scope: 'open' } }, async () => {
            throw new Error('x');
          });
        },
      ],
    });
    expect((await world.get('/info')).status).toBe(200);
    expect(await (await world.get('/threads')).json()).toEqual({ mine: true });
    expect((await world.get('/threads', { 'x-api-key': 'read-key' })).status).toBe(200);
    expect((await world.get('/broken')).status).toBe(418);
    expect((await world.get('/v1/nothing', { 'x-api-key': 'read-key' })).status).toBe(404);
    const document = await (await world.get('/openapi.json')).text();
    expect(document.includes('/threads')).toBe(false);
    await world.close();
  });
});
