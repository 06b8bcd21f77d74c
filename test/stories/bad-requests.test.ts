// Bad input over HTTP on the built product: a problem with a stable code and a sentence that helps, and no harm.
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '../../src/domain/role.ts';
import { type Server, startTroupe } from '../support/server.ts';

type Problem = { status: number; code: string; detail: string; errors: unknown[]; data?: object };
type Raw = { status: number; type: string; text: string };
const UNKNOWN = '01890000-0000-7000-8000-000000000000';

const folder = mkdtempSync(join(tmpdir(), 'troupe-test-'));
let server: Server;
beforeAll(async () => {
  server = await startTroupe(folder);
});
afterAll(async () => {
  expect(server.output()).not.toMatch(/"level":"error"|^\s+at /m);
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  rmSync(folder, { recursive: true, force: true });
});

/** Exactly these bytes, whatever they are. */
const send = (method: string, path: string, body: string | Buffer, type?: string): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const req = request(`${server.url}${path}`, { method, headers }, (res) => {
      let text = '';
      res.on('data', (chunk) => (text += chunk));
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, type: res.headers['content-type'] ?? '', text }),
      );
    });
    req.on('error', reject);
    req.end(body);
  });

function expectProblem({ status, type, text }: Raw, expected: [number, string]): Problem {
  expect({ status, type }).toEqual({
    status: expected[0],
    type: expect.stringMatching(/^application\/problem\+json/),
  });
  const problem = JSON.parse(text) as Problem;
  expect(problem).toMatchObject({ status: expected[0], code: expected[1] });
  expect(text).not.toMatch(/\bat .*\.(?:ts|js):\d+|node:internal|stack/);
  return problem;
}
const post = (path: string, body: unknown): Promise<Raw> =>
  send('POST', path, JSON.stringify(body), 'application/json');

describe('a new task is refused', () => {
  it('for an unknown role: with the known ones', async () => {
    const answer = await post('/v1/tasks', { subagent_type: 'codr', description: 'x' });
    const { detail } = expectProblem(answer, [422, 'unknown_role']);
    for (const role of ['codr', ...BUILT_IN_ROLES]) expect(detail).toContain(role);
  });

  it('for an empty or a missing description', async () => {
    for (const description of ['', '  \n ', undefined, null, 7]) {
      const answer = await post('/v1/tasks', { subagent_type: 'coder', description });
      expect(expectProblem(answer, [400, 'bad_request']).detail).toContain('description');
    }
  });

  it('for a description over the limit: with both numbers', async () => {
    const description = 'ü'.repeat(20_000);
    const answer = await post('/v1/tasks', { subagent_type: 'coder', description });
    const { detail } = expectProblem(answer, [400, 'bad_request']);
    expect(detail).toMatch(/40000.*32768/);
  });

  it('for JSON that is none, with the place of the mistake', async () => {
    for (const body of ['{"subagent_type":', 'not json', '', '[]', '"text"', 'null', '\ufeff{}x']) {
      const answer = await send('POST', '/v1/tasks', body, 'application/json');
      expectProblem(answer, [400, 'bad_request']);
    }
    const broken = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
    expectProblem(await send('POST', '/v1/tasks', broken, 'application/json'), [
      400,
      'bad_request',
    ]);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expectProblem(await send('POST', '/v1/tasks', deep, 'application/json'), [400, 'bad_request']);
  });

  it('in another content type than JSON', async () => {
    const body = '{"subagent_type":"coder","description":"x"}';
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/xml', 'nonsense'])
      expectProblem(await send('POST', '/v1/tasks', body, type), [415, 'unsupported_media_type']);
  });

  it('with a body over the limit', async () => {
    const body = JSON.stringify({ subagent_type: 'coder', description: 'x'.repeat(1_100_000) });
    const answer = await send('POST', '/v1/tasks', body, 'application/json');
    expectProblem(answer, [413, 'body_too_large']);
  });

  it('with a field that nobody knows', async () => {
    const task = { subagent_type: 'coder', description: 'x', prioritty: 1 };
    const answer = await post('/v1/tasks', task);
    expect(expectProblem(answer, [400, 'bad_request']).detail).toContain('prioritty');
  });
});

it('an unknown id is 404 with the whole id in the text', async () => {
  const gets = ['tasks', 'queries', 'subagents'].map((noun) => ['GET', `/v1/${noun}/${UNKNOWN}`]);
  const more = ['events', 'tree', 'result', 'files'].map((part) => [
    ...['GET', `/v1/queries/${UNKNOWN}/${part}`],
  ]);
  const posts = ['cancel', 'retry'].map((act) => ['POST', `/v1/tasks/${UNKNOWN}/${act}`]);
  const cancel = ['POST', `/v1/queries/${UNKNOWN}/cancel`];
  for (const [method, path] of [...gets, ...more, ...posts, cancel] as [string, string][]) {
    const answer =
      method === 'GET'
        ? await send('GET', path, '')
        : await send(method, path, '{}', 'application/json');
    expect({ path, detail: expectProblem(answer, [404, 'not_found']).detail }).toEqual({
      ...{ path, detail: expect.stringContaining(UNKNOWN) },
    });
  }
  for (const id of ['x', '..%2f..%2fetc', '%F0%9F%92%A5', 'a'.repeat(60)])
    expectProblem(await send('GET', `/v1/tasks/${id}`, ''), [404, 'not_found']);
});

it('a cancel of what has ended is 409 with its true status, and changes nothing', async () => {
  for (const [description, status] of [
    ['done', 'completed'],
    ['[[fail]] x', 'failed'],
  ] as const) {
    const { task_id } = await server.call<{ task_id: string }>('POST', '/v1/tasks', {
      ...{ subagent_type: 'coder', description },
    });
    const path = `/v1/tasks/${task_id}`;
    const before = await server.call<{ status: string }>('GET', `${path}?wait_ms=20000`);
    expect(before.status).toBe(status);
    const problem = expectProblem(await post(`${path}/cancel`, {}), [409, 'conflict']);
    expect(problem.detail).toContain(`task ${task_id} is already ${status}`);
    expect(problem.data).toEqual({ status });
    expect(await server.call('GET', path)).toEqual(before);
  }
});

it('an unknown path is 404 and a wrong method is 405 with what is allowed', async () => {
  expectProblem(await send('GET', '/v1/nothing', ''), [404, 'not_found']);
  const answer = await send('DELETE', '/v1/tasks', '');
  expect(expectProblem(answer, [405, 'method_not_allowed']).detail).toContain('GET');
});

it('after all of it the server works as before', async () => {
  const task = { subagent_type: 'coder', description: 'still well' };
  const { task_id } = await server.call<{ task_id: string }>('POST', '/v1/tasks', task);
  const ended = await server.call('GET', `/v1/tasks/${task_id}?wait_ms=20000`);
  expect(ended).toMatchObject({ status: 'completed', result: 'still well' });
});
