import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { serverUrl } from '../../src/cli/cli.ts';
import { createClient, isLoopback, parseBase } from '../../src/cli/client.ts';
import { fakeServer, json, problem } from './fake-server.ts';

const clientOf = (url: string, apiKey: string | null = null) => {
  const client = createClient({ url, apiKey });
  onTestFinished(() => client.close());
  return client;
};

it.each([
  [400, 'bad_request', 1],
  [401, 'unauthorized', 4],
  [403, 'forbidden', 4],
  [421, 'misdirected', 4],
  [404, 'not_found', 5],
  [409, 'conflict', 1],
  [429, 'queue_full', 1],
  [500, 'internal', 1],
  [504, 'model_timeout', 6],
])('turns a %i problem into a sentence with its code and exit code', async (status, code, exit) => {
  const server = await fakeServer({
    'GET /v1/tasks/x': (_, response) => problem(response, status, code, 'what was found'),
  });
  await expect(clientOf(server.url).get('/v1/tasks/x')).rejects.toMatchObject({
    ...{ exit, code, message: expect.stringContaining('what was found') },
  });
});

it('lists what a problem says about each field', async () => {
  const server = await fakeServer({
    'POST /v1/queries': (_, response) =>
      json(response, 400, {
        ...{ detail: 'the body is wrong', code: 'bad_request' },
        errors: [{ path: '/branch', message: 'must be never, auto or always' }],
      }),
  });
  await expect(clientOf(server.url).post('/v1/queries', {})).rejects.toThrow(
    '/branch: must be never, auto or always',
  );
});

it('says how to start a server when none is there', async () => {
  const server = await fakeServer();
  await server.stop();
  await expect(clientOf(server.url).get('/v1/tasks')).rejects.toMatchObject({
    exit: 3,
    message: `no server at ${server.url}`,
    hint: 'start one with `troupe serve` or give --url',
  });
});

it('says when something else answers, in JSON or not', async () => {
  const server = await fakeServer({
    'GET /v1/tasks': (_, response) => response.end('<html>hello</html>'),
  });
  await expect(clientOf(server.url).get('/v1/tasks')).rejects.toMatchObject({
    exit: 3,
    code: 'not_troupe',
  });
  const mute = createServer((socket) => socket.end('SSH-2.0-x\r\n'));
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void mute.close());
  const { port } = mute.address() as { port: number };
  await expect(clientOf(`http://127.0.0.1:${port}`).get('/v1/tasks')).rejects.toMatchObject({
    exit: 3,
  });
});

it('says when the connection breaks in the middle of an answer', async () => {
  const server = await fakeServer({
    'GET /v1/tasks': (_, response) => {
      response.writeHead(200, { 'content-length': '1000', 'content-type': 'application/json' });
      response.write('{"data":');
      setImmediate(() => response.destroy());
    },
  });
  await expect(clientOf(server.url).get('/v1/tasks')).rejects.toMatchObject({ exit: 3 });
});

it('sends the key, and reaches loopback past every proxy', async () => {
  const before = { ...process.env };
  onTestFinished(() => {
    process.env = before;
  });
  for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy'])
    process.env[name] = 'http://127.0.0.1:9';
  const server = await fakeServer({
    'GET /v1/tasks': (_, response) => json(response, 200, { data: [], next_cursor: null }),
  });
  await clientOf(server.url, 'secret').list('/v1/tasks', {}, 10);
  expect(server.asked[0]?.headers.authorization).toBe('Bearer secret');
  expect(isLoopback('localhost')).toBe(true);
  expect(isLoopback('127.0.0.1.example.org')).toBe(false);
});

it('follows pages until it has what was asked for', async () => {
  const server = await fakeServer({
    'GET /v1/tasks': (request, response) => {
      const from = Number(new URL(request.url ?? '', 'http://x').searchParams.get('cursor') ?? 0);
      json(response, 200, { data: [from, from + 1], next_cursor: String(from + 2) });
    },
  });
  expect(await clientOf(server.url).list('/v1/tasks', {}, 5)).toEqual([0, 1, 2, 3, 4]);
});

it('keeps the path of an address behind a proxy and refuses what is no address', () => {
  expect(parseBase('example.org/troupe/').href).toBe('http://example.org/troupe');
  expect(() => parseBase('ftp://example.org')).toThrow(/not a server address/);
});

it('finds the server where the environment puts it', () => {
  expect(serverUrl(undefined, {})).toBe('http://127.0.0.1:8787');
  expect(serverUrl(undefined, { TROUPE_HOST: '0.0.0.0', TROUPE_PORT: '9000' })).toBe(
    'http://127.0.0.1:9000',
  );
  expect(serverUrl(undefined, { TROUPE_HOST: '::1', TROUPE_PORT: '0' })).toBe('http://[::1]:8787');
  expect(serverUrl(undefined, { TROUPE_URL: 'https://a' })).toBe('https://a');
  expect(serverUrl('https://b', { TROUPE_URL: 'https://a' })).toBe('https://b');
});
