import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { TaskStatus } from '../../src/domain/task.ts';
import {
  AGENT,
  agentRow,
  event,
  fakeServer,
  type Handler,
  json,
  QUERY,
  queryRow,
  TASK,
  taskRow,
} from './fake-server.ts';
import { cli } from './in-process.ts';

const page =
  (...data: unknown[]): Handler =>
  (_, response) =>
    json(response, 200, { data, next_cursor: null });
const row =
  (body: unknown, status = 200): Handler =>
  (_, response) =>
    json(response, status, body);

const LONG =
  'a description that is far too long for a terminal of eighty columns, so it has to be cut';
const SERVER = {
  ...{ role: 'backend', instance: 0, state: 'ready', pid: 4242, port: 40001, endpoint: 'http://x' },
  ...{
    model: 'offline',
    rss_bytes: 7 * 1024 * 1024,
    cpu_seconds: 1,
    started_at: 'now',
    restarts: 0,
  },
  ...{ active_runs: 1, last_activity_at: null, last_exit: null },
};
const ROLE = { name: 'backend', description: 'Builds servers.', model: 'default' };
const serve = () =>
  fakeServer({
    'GET /v1/queries': page(queryRow()),
    [`POST /v1/queries/${QUERY}/cancel`]: row(queryRow({ status: 'cancelled' })),
    [`POST /v1/queries/${QUERY}/messages`]: row(queryRow(), 202),
    [`GET /v1/queries/${QUERY}/tree`]: row({
      ...{ id: QUERY, kind: 'query', label: 'main agent', status: 'running' },
      children: [{ id: TASK, kind: 'task', label: 'backend agent #1', status: 'running' }],
    }),
    [`GET /v1/queries/${QUERY}/files`]: page({ path: 'src/a b.js', size: 12 }),
    [`GET /v1/queries/${QUERY}/files/src/a%20b.js`]: (_, response) => response.end('let a;\n'),
    [`GET /v1/queries/${QUERY}/workspace.zip`]: (_, response) => response.end('PK-archive'),
    'GET /v1/tasks': page(taskRow({ description: LONG })),
    'POST /v1/tasks': row(taskRow({ status: 'created', waiting: 'slot' }), 202),
    [`GET /v1/tasks/${TASK}`]: row(taskRow({ status: 'completed', result: 'made it' })),
    [`POST /v1/tasks/${TASK}/cancel`]: row(taskRow({ status: 'cancelled' })),
    [`POST /v1/tasks/${TASK}/messages`]: row({ task: taskRow(), delivery: 'delivered' }, 202),
    [`POST /v1/tasks/${TASK}/retry`]: row(taskRow({ status: 'created' }), 202),
    [`GET /v1/tasks/${TASK}/output`]: row({ text: 'so far' }),
    'GET /v1/subagents': page(agentRow()),
    'GET /v1/servers': page(SERVER),
    'POST /v1/servers/backend/start': row(SERVER),
    'POST /v1/servers/backend/restart': row(SERVER),
    'POST /v1/servers/backend/stop': page({ ...SERVER, state: 'draining' }),
    'GET /v1/servers/backend/log': row({ role: 'backend', lines: ['first', 'last'] }),
    'GET /v1/roles': page(ROLE),
    'GET /v1/roles/backend': row({ ...ROLE, sources: { model: 'config.toml:7' } }),
  });

it.each([
  ['queries', 'list', [], QUERY],
  ['queries', 'show', [QUERY], '/state/query_sessions/1'],
  ['queries', 'cancel', [QUERY], 'cancelled'],
  ['queries', 'message', [QUERY, 'more'], 'running'],
  ['queries', 'tree', [QUERY], `└─ backend agent #1  running  ${TASK}`],
  ['queries', 'files', [QUERY], 'src/a b.js'],
  ['queries', 'files', [QUERY, 'src/a b.js'], 'let a;'],
  ['tasks', 'list', [], TASK],
  ['tasks', 'start', ['backend', 'make it'], 'created (slot)'],
  ['tasks', 'show', [TASK], 'made it'],
  ['tasks', 'cancel', [TASK], 'cancelled'],
  ['tasks', 'message', [TASK, 'use sqlite'], 'delivered'],
  ['tasks', 'retry', [TASK], 'created'],
  ['tasks', 'output', [TASK], 'so far'],
  ['subagents', 'list', [], AGENT],
  ['subagents', 'show', [AGENT], 'make the API'],
  ['servers', 'list', [], '7.0 MiB'],
  ['servers', 'start', ['backend'], 'ready'],
  ['servers', 'restart', ['backend'], 'ready'],
  ['servers', 'stop', ['backend'], 'draining'],
  ['servers', 'log', ['backend'], 'first\nlast'],
  ['roles', 'list', [], 'Builds servers.'],
  ['roles', 'show', ['backend'], 'config.toml:7'],
])('%s %s %j', async (noun, verb, args, shown) => {
  const server = await serve();
  const { code, out, err } = await cli([noun, verb, ...args, '--url', server.url]);
  expect(err).toBe('');
  expect(out).toContain(shown);
  expect(code).toBe(0);
  if (verb === 'files' && args.length === 2) return;
  const asJson = await cli([noun, verb, ...args, '--url', server.url, '--json']);
  expect(() => JSON.parse(asJson.out)).not.toThrow();
});

it.each(['queries', 'tasks', 'subagents', 'servers', 'roles'])(
  'lists with `%s` alone',
  async (noun) => {
    const server = await serve();
    const alone = await cli([noun, '--url', server.url]);
    const listed = await cli([noun, 'list', '--url', server.url]);
    expect(alone).toEqual(listed);
    expect(alone.code).toBe(0);
  },
);

it('sends what the filters and the mode say', async () => {
  const server = await serve();
  const url = ['--url', server.url];
  await cli([
    'tasks',
    'list',
    '--status',
    'running',
    '--role',
    'backend',
    '--query',
    QUERY,
    ...url,
  ]);
  await cli(['tasks', 'message', TASK, 'stop that', '--mode', 'interrupt', ...url]);
  await cli(['subagents', 'list', '--state', 'running', '--limit', '3', ...url]);
  expect(server.asked[0]?.path).toBe(
    `/v1/tasks?status=running&role=backend&query_id=${QUERY}&limit=50`,
  );
  expect(JSON.parse(server.asked[1]?.body ?? '')).toEqual({ text: 'stop that', mode: 'interrupt' });
  expect(server.asked[2]?.path).toBe('/v1/subagents?state=running&limit=3');
});

it('fits a list to the terminal with the ids whole', async () => {
  const server = await serve();
  const { out } = await cli(['tasks', '--url', server.url], {
    columns: 120,
    env: { NO_COLOR: '1' },
  });
  const line = out.split('\n')[1] ?? '';
  expect(line).toContain(TASK);
  expect(line).toContain('…');
  expect(line.length).toBeLessThanOrEqual(120);
});

it('paints only at a terminal, and not with NO_COLOR', async () => {
  const server = await serve();
  const args = ['tasks', '--url', server.url];
  expect((await cli(args, { columns: 80 })).out).toContain('\x1b[');
  expect((await cli(args, { columns: 80, env: { NO_COLOR: '1' } })).out).not.toContain('\x1b');
  expect((await cli(args)).out).not.toContain('\x1b');
});

it('saves an archive whole and never over a file unless told so', async () => {
  const server = await serve();
  const cwd = mkdtempSync(join(tmpdir(), 'troupe-cli-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const args = ['queries', 'download', QUERY, '--url', server.url];
  const first = await cli(args, { cwd });
  expect(first).toMatchObject({ code: 0, out: `${join(cwd, `${QUERY}.zip`)}  10 bytes\n` });
  writeFileSync(join(cwd, `${QUERY}.zip`), 'mine');
  const second = await cli(args, { cwd });
  expect(second.code).toBe(1);
  expect(second.err).toContain('exists already');
  expect(readFileSync(join(cwd, `${QUERY}.zip`), 'utf8')).toBe('mine');
  expect((await cli([...args, '--force'], { cwd })).code).toBe(0);
  expect(readdirSync(cwd)).toEqual([`${QUERY}.zip`]);
});

it.each<[TaskStatus, number]>([
  ['completed', 0],
  ['failed', 1],
  ['running', 6],
])('waits for a task and exits by its state: %s', async (status, expected) => {
  const server = await fakeServer({ [`GET /v1/tasks/${TASK}`]: row(taskRow({ status })) });
  const { code } = await cli(['tasks', 'show', TASK, '--wait', '1', '--url', server.url]);
  expect(code).toBe(expected);
});

it('prints past events with their numbers and filters', async () => {
  const server = await fakeServer();
  server.store(
    event(1, 'query', 'running'),
    event(2, 'branch', 'taken'),
    event(3, 'output', 'text'),
  );
  const all = await cli(['events', '--url', server.url, '--after', '1']);
  expect(
    all.out
      .split('\n')
      .map((l) => Number.parseInt(l, 10))
      .filter(Boolean),
  ).toEqual([2, 3]);
  expect(all.out).toContain('⚡');
  await cli(['events', '--url', server.url, '--query', QUERY, '--kind', 'query', 'branch']);
  expect(server.asked.at(-1)?.path).toContain(`query_id=${QUERY}&kinds=query%2Cbranch`);
});

it.each([
  [['tusks']],
  [['tasks', 'list', '--status', 'sleeping']],
  [['tasks', 'list', '--limit', '1e3']],
  [['tasks', 'show']],
  [['run']],
  [['run', '  ']],
  [['run', 'x', '--timeout', 'maybe']],
  [['run', 'x', '--timeout', '-1']],
  [['tasks', '--url', 'ftp://x']],
  [['events', '--after', 'yesterday']],
])('exits 2 for wrong usage: %j', async (args) => {
  const { code, out, err } = await cli(args);
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(err).toMatch(/error:/);
});

it('refuses two keys at once', async () => {
  const env = { TROUPE_API_KEY: 'a', TROUPE_API_KEY_FILE: '/b' };
  expect(await cli(['tasks'], { env })).toMatchObject({ code: 2 });
});

it('says that an id is not known and exits 5', async () => {
  const server = await fakeServer();
  const { code, err } = await cli(['tasks', 'show', 'nobody', '--url', server.url]);
  expect(code).toBe(5);
  expect(err).toContain('there is no /v1/tasks/nobody');
});

it('shows the roles of this machine when no server is there, unless one was named', async () => {
  const server = await fakeServer();
  await server.stop();
  const hidden = { ...ROLE, name: 'Inner', visible_to: ['backend'] };
  const local = { roles: async () => [{ ...ROLE, visible_to: null }, hidden] };
  const env = { TROUPE_PORT: new URL(server.url).port };
  const here = await cli(['roles'], { env, local });
  expect(here).toMatchObject({ code: 0, out: expect.stringContaining('Builds servers.') });
  expect(here.out).not.toContain('Inner');
  const all = await cli(['roles', 'list', '--all'], { env, local });
  expect(all.out).toMatch(/Inner.*backend/);
  expect(await cli(['roles', '--url', server.url], { local })).toMatchObject({ code: 3 });
});

it('prints help with examples, and the version', async () => {
  expect((await cli([])).out).toContain('Examples:');
  expect(await cli(['--help'])).toMatchObject({ code: 0 });
  expect(await cli(['--version'])).toMatchObject({ code: 0, out: '1.2.3\n' });
});
