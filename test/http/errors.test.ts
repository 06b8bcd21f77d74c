import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/http/errors.ts';
import { rawRequest, statusOf } from './raw.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    config: { body_limit: 65_536 },
    change({ services }) {
      services.status = async () => {
        throw new Error('password=hunter2 in /etc/secret');
      };
    },
  });
});
afterAll(() => world.close());

async function problemOf(answer: Response): Promise<Problem> {
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const found = (await answer.json()) as Problem;
  expect(found.status).toBe(answer.status);
  expect(found.type).toBe(`urn:troupe:problem:${found.code}`);
  expect(found.title.length).toBeGreaterThan(2);
  expect(found.request_id).toBe(answer.headers.get('x-request-id'));
  expect(Array.isArray(found.errors)).toBe(true);
  return found;
}

describe('problem documents', () => {
  it('show the error of a service with its numbers', async () => {
    const answer = await world.post('/v1/tasks', { subagent_type: 'cook', description: 'eggs' });
    const found = await problemOf(answer);
    expect(found).toMatchObject({
      status: 422,
      code: 'unknown_role',
      instance: '/v1/tasks',
      data: { known: ['coder'] },
    });
  });
  it('hide the text of an error that is not ours', async () => {
    const answer = await world.get('/v1/status');
    const found = await problemOf(answer);
    expect(found.code).toBe('internal');
    expect(JSON.stringify(found)).not.toMatch(/hunter2|secret|\bat /);
  });
  it('name the full id of what is not there', async () => {
    const id = '0198c0de-0000-7000-8000-0000000000ff';
    const found = await problemOf(await world.get(`/v1/tasks/${id}`));
    expect(found).toMatchObject({ status: 404, code: 'not_found' });
    expect(found.detail).toContain(id);
  });
  it('take over the request id of the caller, if it is one', async () => {
    const mine = await world.get('/nothing', { 'x-request-id': 'trace-17' });
    expect((await problemOf(mine)).request_id).toBe('trace-17');
    const bad = await world.get('/nothing', { 'x-request-id': 'a b<script>' });
    expect((await problemOf(bad)).request_id).toMatch(/^[0-9a-f-]{36}$/);
  });
  it('say 404 for an unknown path and 405 with Allow for a wrong method', async () => {
    expect((await problemOf(await world.get('/v1/nothing'))).status).toBe(404);
    const wrong = await fetch(`${world.url}/v1/tasks`, { method: 'DELETE' });
    expect((await problemOf(wrong)).code).toBe('method_not_allowed');
    expect(wrong.headers.get('allow')).toContain('POST');
    const deeper = await fetch(`${world.url}/v1/tasks/x/cancel`);
    expect(deeper.status).toBe(405);
  });
});

describe('bodies', () => {
  const broken: [string, string | Uint8Array][] = [
    ['half of a JSON', '{"subagent_type": "coder"'],
    ['__proto__', '{"subagent_type":"coder","description":"x","__proto__":{"a":1}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"a":1}}}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['half of a surrogate pair', '{"subagent_type":"coder","description":"\\ud800"}'],
    ['a NUL', '{"subagent_type":"coder","description":"a\\u0000b"}'],
    ['a raw NUL', '{"subagent_type":"coder\0"}'],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['20,000 levels', '{"a":'.repeat(5_000) + '['.repeat(15_000)],
    ['an array', '[]'],
    ['a number', '7'],
  ];
  it.each(broken)('with %s are 400', async (_name, body) => {
    const found = await problemOf(await world.post('/v1/tasks', body));
    expect(found).toMatchObject({ status: 400, code: 'bad_request' });
  });
  it('with brackets inside a text are not deep', async () => {
    const description = `${'['.repeat(500)}\\" {{{`;
    const answer = await world.post('/v1/tasks', { subagent_type: 'coder', description });
    expect(answer.status).toBe(202);
  });
  it('that are too large are 413', async () => {
    const body = { subagent_type: 'coder', description: 'x'.repeat(70_000) };
    expect((await problemOf(await world.post('/v1/tasks', body))).code).toBe('body_too_large');
  });
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'as %s are 415, so that no page can post here unasked',
    async (type) => {
      const answer = await world.post('/v1/tasks', '{}', { 'content-type': type });
      expect((await problemOf(answer)).code).toBe('unsupported_media_type');
    },
  );
  it('name every fault with its path', async () => {
    const body = { description: '  ', colour: 'red' };
    const found = await problemOf(await world.post('/v1/tasks', body));
    expect(found.errors).toEqual(
      expect.arrayContaining([
        { path: '/subagent_type', message: 'is required' },
        { path: '/description', message: 'must not be blank' },
        expect.objectContaining({ path: '/colour' }),
      ]),
    );
    expect(found.errors.find((e) => e.path === '/colour')?.message).toContain('subagent_type');
  });
  it('are not cast: a number is no text', async () => {
    const found = await problemOf(
      await world.post('/v1/tasks', { subagent_type: 'coder', description: 5 }),
    );
    expect(found.errors).toEqual([{ path: '/description', message: 'must be string' }]);
  });
  it('may be left out where nothing is required', async () => {
    const { task_id } = world.newTask('coder', 'x');
    const answer = await fetch(`${world.url}/v1/tasks/${task_id}/cancel`, { method: 'POST' });
    expect(answer.status).toBe(200);
    const needed = await fetch(`${world.url}/v1/tasks`, { method: 'POST' });
    expect((await problemOf(needed)).errors.map((e) => e.path)).toEqual([
      '/subagent_type',
      '/description',
    ]);
  });
});

describe('query strings', () => {
  it.each(['30abc', '1e2', '-1', '0', '1001', '', '1.5', '0x10', '9'.repeat(40)])(
    'with limit=%s are 400',
    async (limit) => {
      const found = await problemOf(await world.get(`/v1/tasks?limit=${limit}`));
      expect(found.errors[0]?.path).toBe('limit');
    },
  );
  it('name what is allowed', async () => {
    const unknown = await problemOf(await world.get('/v1/tasks?statsu=running'));
    expect(unknown.errors[0]).toMatchObject({ path: 'statsu' });
    expect(unknown.errors[0]?.message).toContain('status');
    const value = await problemOf(await world.get('/v1/tasks?status=done'));
    expect(value.errors[0]?.message).toContain('completed');
  });
  it('given twice are refused, not joined', async () => {
    expect((await world.get('/v1/tasks?limit=1&limit=2')).status).toBe(400);
  });
});

describe('requests that no client sends', () => {
  const head = 'Host: 127.0.0.1\r\nContent-Type: application/json\r\n';
  const vectors: [string, string, number[]][] = [
    ['no Host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', [400]],
    ['not HTTP', 'hello\r\n\r\n', [400]],
    [
      'two kinds of length',
      `POST /v1/tasks HTTP/1.1\r\n${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      [400],
    ],
    [
      'two lengths',
      `POST /v1/tasks HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      [400],
    ],
    [
      'a huge header',
      `GET /livez HTTP/1.1\r\n${head}x-api-key: ${'k'.repeat(40_000)}\r\n\r\n`,
      [431],
    ],
    ['a broken escape', `GET /v1/tasks/%zz HTTP/1.1\r\n${head}Connection: close\r\n\r\n`, [400]],
    [
      'a NUL in the path',
      `GET /v1/tasks/a%00b HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
      [400],
    ],
  ];
  it.each(vectors)('%s', async (_name, text, allowed) => {
    const answer = await rawRequest(world.port, text).closed;
    expect(allowed).toContain(statusOf(answer));
    expect(answer).toContain('application/problem+json');
    expect(answer).not.toMatch(/node:internal|\.ts:\d/);
  });
  it('cuts off who never finishes its headers or its body', async () => {
    const slow = await startWorld({
      config: { limits: { headers_ms: 150, request_ms: 300, check_ms: 50 } },
    });
    try {
      const headers = rawRequest(slow.port, 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nx: ');
      const body = rawRequest(
        slow.port,
        `POST /v1/tasks HTTP/1.1\r\n${head}Content-Length: 50\r\n\r\n{"sub`,
      );
      expect(statusOf(await headers.closed)).toBe(408);
      expect(statusOf(await body.closed)).toBe(408);
      expect((await slow.get('/livez')).status).toBe(200);
    } finally {
      await slow.close();
    }
  });
});
