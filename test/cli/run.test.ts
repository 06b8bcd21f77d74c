import { expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { event, fakeServer, type Handler, json, problem, QUERY, queryRow } from './fake-server.ts';
import { start, troupe } from './troupe.ts';

const STORY = [
  event(1, 'query', 'running'),
  event(2, 'branch', 'taken', {
    data: { branched: true, parts: ['the API', 'the README'], score: 0.4 },
  }),
  event(3, 'subagent', 'created'),
  event(4, 'server', 'spawned', { data: { pid: 4242 } }),
  event(5, 'server', 'ready', { data: { pid: 4242, port: 40001, took_ms: 180 } }),
  event(6, 'server', 'ready', { role: 'coder', data: { pid: 1, port: 2 } }),
  event(7, 'subagent', 'running'),
  event(8, 'tool', 'finished', { detail: 'write: api.js, 120 bytes', data: { ok: true } }),
  event(9, 'subagent', 'completed'),
];
const ended = (status: string, more: object = {}): Record<string, Handler> => ({
  [`GET /v1/queries/${QUERY}`]: (_, response) => json(response, 200, queryRow({ status, ...more })),
});
const files: Record<string, Handler> = {
  [`GET /v1/queries/${QUERY}/files`]: (_, response) =>
    json(response, 200, { data: [{ path: 'api.js', size: 2048 }], next_cursor: null }),
};

it('tells the tree live, then the answer and the files', async () => {
  const server = await fakeServer({ ...ended('completed', { answer: 'It is done.' }), ...files });
  const run = start(['run', 'build it', '--background', '--url', server.url]);
  await until(() => server.streams.size > 0, 15_000, 'a stream');
  server.emit(...STORY.slice(0, 3));
  await run.says('backend agent #1');
  await until(() => server.streams.size === 2, 5_000, 'the stream of servers');
  server.emit(...STORY.slice(3));
  await run.says('write: api.js');
  server.emit(event(10, 'query', 'completed'));
  const { code, out } = await run.ended;
  expect(code).toBe(0);
  expect(out).toContain(QUERY);
  expect(out).toMatch(
    /⚡ main agent +self-branch +2 branches score 0.40 {2}"the API" · "the README"/,
  );
  expect(out).toMatch(/backend server +spawned +pid 4242/);
  expect(out).toMatch(/backend server +ready +pid 4242 port 40001 after 180 ms/);
  expect(out).toMatch(/backend agent #1 +running +pid 4242 port 40001 {2}"make the API"/);
  expect(out).not.toContain('coder server');
  expect(out).toContain('It is done.');
  expect(out).toMatch(/1 file in \/state\/query_sessions\/1[\s\S]*api\.js +2\.0 KiB/);
  const asked = server.asked.find((a) => a.method === 'POST');
  expect(JSON.parse(asked?.body ?? '')).toEqual({ input: 'build it', background: true });
  expect(asked?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
});

it('tells servers that came up before anybody looked, each event once', async () => {
  const server = await fakeServer(ended('completed', { answer: 'ok' }));
  server.store(...STORY, event(10, 'query', 'completed'));
  const { code, out } = await troupe(['run', 'build it', '--url', server.url]);
  expect(code).toBe(0);
  expect(out.match(/backend server +ready/g)).toHaveLength(1);
});

it('prints one JSON event a line and the result last', async () => {
  const server = await fakeServer({ ...ended('completed', { answer: 'ok' }), ...files });
  server.store(...STORY, event(10, 'query', 'completed'));
  const { code, out } = await troupe(['run', 'build it', '--json', '--url', server.url]);
  const rows = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(
    rows
      .slice(0, -1)
      .map((r) => r.seq)
      .sort((a, b) => a - b),
  ).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10]);
  expect(rows.at(-1)).toMatchObject({
    ...{ kind: 'result', exit_code: 0, query: { query_id: QUERY, answer: 'ok' } },
    files: [{ path: 'api.js', size: 2048 }],
  });
});

it.each([
  ['failed', 1],
  ['cancelled', 1],
  ['degraded', 7],
])('exits with the code of a query that ended %s', async (status, expected) => {
  const error = { code: 'internal', message: 'it broke', reasons: ['first', 'second'] };
  const server = await fakeServer(ended(status, { answer: 'what is there', error }));
  server.store(event(1, 'query', status));
  const { code, out } = await troupe(['run', 'build it', '--url', server.url]);
  expect(code).toBe(expected);
  expect(out).toContain('what is there');
  expect(out).toContain(`${status}: it broke`);
  expect(out).toContain('  second');
});

it('obeys nothing that comes from the server', async () => {
  const hostile = '\x1b]52;c;ZXZpbA==\x07\x1b[2Jowned\r\u202egnp';
  const server = await fakeServer(ended('completed', { answer: `fine ${hostile}\nsecond line` }));
  server.store(
    event(1, 'subagent', 'created', { role: hostile }),
    event(2, 'tool', 'finished', { detail: `write: ${hostile}` }),
    event(3, 'query', 'completed', { detail: hostile }),
  );
  const { out } = await troupe(['run', 'build it', '--url', server.url]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is the point
  expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  expect(out).toContain('second line');
});

it('cancels on Ctrl-C and exits 130 when the query has been cancelled', async () => {
  const server = await fakeServer({
    ...ended('cancelled'),
    [`POST /v1/queries/${QUERY}/cancel`]: (_, response) => {
      json(response, 202, queryRow());
      server.emit(event(2, 'query', 'cancelled'));
    },
  });
  const run = start(['run', 'build it', '--url', server.url]);
  await until(() => server.streams.size > 0, 15_000, 'a stream');
  server.emit(event(1, 'query', 'running'));
  await run.says('running');
  run.child.kill('SIGINT');
  const { code, err } = await run.ended;
  expect(err).toContain('cancelling');
  expect(code).toBe(130);
});

it('leaves at the second Ctrl-C even when the cancel is not answered', async () => {
  const server = await fakeServer({ [`POST /v1/queries/${QUERY}/cancel`]: () => {} });
  const run = start(['run', 'build it', '--url', server.url]);
  await until(() => server.streams.size > 0, 15_000, 'a stream');
  run.child.kill('SIGINT');
  await until(() => server.asked.some((a) => a.path.endsWith('/cancel')), 10_000, 'the cancel');
  run.child.kill('SIGINT');
  const { code, err } = await run.ended;
  expect(code).toBe(130);
  expect(err).toContain(`troupe queries show ${QUERY}`);
});

it('cancels at its time limit and exits 6', async () => {
  const server = await fakeServer({
    ...ended('cancelled'),
    [`POST /v1/queries/${QUERY}/cancel`]: (_, response) => {
      json(response, 202, queryRow());
      server.emit(event(2, 'query', 'cancelled'));
    },
  });
  const { code, err } = await troupe(['run', 'build it', '--timeout', '1', '--url', server.url]);
  expect(err).toContain('not done after 1 s');
  expect(code).toBe(6);
});

it('goes on across a broken connection', async () => {
  const server = await fakeServer(ended('completed', { answer: 'ok' }));
  const run = start(['run', 'build it', '--url', server.url]);
  await until(() => server.streams.size > 0, 15_000, 'a stream');
  server.emit(event(1, 'query', 'running'));
  await run.says('running');
  server.store(event(2, 'subagent', 'created'), event(3, 'query', 'completed'));
  server.cut();
  const { code, out } = await run.ended;
  expect(code).toBe(0);
  expect(out.match(/running/g)).toHaveLength(1);
  expect(out).toContain('backend agent #1');
});

it('returns at once with the id when detached', async () => {
  const server = await fakeServer();
  const { code, out } = await troupe([
    'run',
    'build it',
    '--detach',
    '--dir',
    'sub',
    '--url',
    server.url,
  ]);
  expect(code).toBe(0);
  expect(out).toBe(`${QUERY}\n`);
  expect(JSON.parse(server.asked[0]?.body ?? '').workdir).toMatch(/^\/.*\/sub$/);
});

it('says why a request is refused, and where there is no server', async () => {
  const server = await fakeServer({
    'POST /v1/queries': (_, response) => problem(response, 403, 'forbidden', 'scope run is needed'),
  });
  const refused = await troupe(['run', 'build it', '--url', server.url]);
  expect(refused.code).toBe(4);
  expect(refused.err).toContain('scope run is needed');
  await server.stop();
  const gone = await troupe(['run', 'build it', '--json', '--url', server.url]);
  expect(gone.code).toBe(3);
  expect(JSON.parse(gone.err)).toMatchObject({ error: { code: 'unreachable', exit_code: 3 } });
});
