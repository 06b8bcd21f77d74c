// Who gets a place in which role server, over real processes: one start for many, reuse, limits, lending, ports.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { alive } from '../support/process-table.ts';
import { claimed, fixture, openRoleServers, roleNamed } from '../support/role-servers.ts';
import { until } from '../support/until.ts';

const good = fixture('good');

test('nothing runs before it is needed', () => {
  const world = openRoleServers({ worker: good, roles: [roleNamed('coder')] });
  expect(world.supervisor.list()).toEqual([]);
  expect(world.ours()).toEqual([]);
  expect(world.guard.pid()).toBeNull();
});

test('50 claims at once make one process; a later one reuses it', async () => {
  const world = openRoleServers({
    worker: good,
    roles: [roleNamed('coder', { max_concurrent_runs: 100 })],
  });
  const claims = Array.from({ length: 50 }, () => claimed(world.supervisor.claim('coder')));
  const servers = await Promise.all(claims.map((claim) => claim.ready));
  expect(new Set(servers.map((server) => server.pid)).size).toBe(1);
  expect(world.ours()).toHaveLength(1);
  expect(world.states()).toEqual(['spawned', 'ready']);

  claimed(world.supervisor.claim('coder'));
  expect(world.states()).toEqual(['spawned', 'ready', 'reused']);
  const [info] = world.supervisor.list();
  expect(info).toMatchObject({ role: 'coder', state: 'ready', active_runs: 51, restarts: 0 });
  expect(info?.rss_bytes).toBeGreaterThan(10_000_000);
  expect(info?.endpoint).toBe(`http://127.0.0.1:${info?.port}`);
});

test('a full role waits for a place, and is told when there is one', async () => {
  const world = openRoleServers({
    worker: good,
    roles: [roleNamed('coder', { max_concurrent_runs: 1 })],
  });
  const first = claimed(world.supervisor.claim('coder'));
  await first.ready;
  expect(world.supervisor.claim('coder')).toEqual({ wait: 'role' });
  const told = new Promise<void>((resolve) => world.supervisor.onChange(resolve));
  first.release();
  first.release();
  await told;
  claimed(world.supervisor.claim('coder'));
  expect(world.supervisor.claim('coder')).toEqual({ wait: 'role' });
});

test('a second instance starts only when the first is full', async () => {
  const world = openRoleServers({
    worker: good,
    roles: [roleNamed('coder', { max_concurrent_runs: 1, instances: 2 })],
  });
  const servers = await Promise.all(
    [1, 2].map(() => claimed(world.supervisor.claim('coder')).ready),
  );
  expect(servers.map((server) => server.instance)).toEqual([0, 1]);
  expect(world.supervisor.claim('coder')).toEqual({ wait: 'role' });
});

test('at the process limit the longest idle leaves; when none is idle, the task waits', async () => {
  const world = openRoleServers({
    worker: good,
    roles: ['a', 'b', 'c'].map((name) => roleNamed(name)),
    limits: { max_servers: 2 },
  });
  const a = claimed(world.supervisor.claim('a'));
  const b = claimed(world.supervisor.claim('b'));
  const [serverA] = await Promise.all([a.ready, b.ready]);
  expect(world.supervisor.claim('c')).toEqual({ wait: 'slot' });
  b.release();
  a.release();
  // b has been idle for longer.
  const c = claimed(world.supervisor.claim('c'));
  await c.ready;
  expect(
    world.supervisor
      .list()
      .map((info) => info.role)
      .sort(),
  ).toEqual(['a', 'c']);
  expect(alive(serverA.pid as number)).toBe(true);
  expect(world.ours()).toHaveLength(2);
});

test('a parent that lends its place cannot lock the pool, and takes it back', async () => {
  const world = openRoleServers({
    worker: good,
    roles: ['parent', 'child'].map((name) => roleNamed(name, { max_concurrent_runs: 1 })),
    limits: { max_servers: 1 },
  });
  const parent = claimed(world.supervisor.claim('parent'));
  await parent.ready;
  expect(world.supervisor.claim('child')).toEqual({ wait: 'slot' });
  parent.lend();
  const child = claimed(world.supervisor.claim('child'));
  await child.ready;
  expect(parent.resume()).toBe(false);
  // Nobody else can use the lent place either: the process would count again.
  expect(world.supervisor.claim('parent')).toEqual({ wait: 'slot' });
  child.release();
  // The child's server is idle now: it makes room.
  await until(() => parent.resume(), 5_000, 'the parent gets its place back');
  expect(world.supervisor.list()).toMatchObject([{ role: 'parent', active_runs: 1 }]);
});

test('at most so many starts at once, and the wait for a turn costs no start its deadline', async () => {
  const roles = Array.from({ length: 6 }, (_, n) => roleNamed(`role-${n}`));
  const world = openRoleServers({
    worker: good,
    roles,
    limits: { starts_at_once: 1 },
    // Six starts one after the other take longer than this; each of them does not.
    rules: { start_timeout_ms: 3_000 },
  });
  await Promise.all(roles.map(({ name }) => claimed(world.supervisor.claim(name)).ready));
  let under_way = 0;
  let most = 0;
  for (const state of world.states()) {
    under_way += state === 'spawned' ? 1 : state === 'ready' ? -1 : 0;
    most = Math.max(most, under_way);
  }
  expect(most).toBe(1);
});

test('with the asked ports taken by strangers, every role still starts and records the port it has', async () => {
  const stranger = createServer((_, res) => void res.end('{}'));
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void stranger.close());
  const port = (stranger.address() as AddressInfo).port;
  const world = openRoleServers({
    worker: join(import.meta.dirname, '../../dist/bin/worker.js'),
    roles: [roleNamed('coder'), roleNamed('planner', { port })],
    limits: { base_port: port },
  });
  const servers = await Promise.all(
    ['coder', 'planner'].map((name) => claimed(world.supervisor.claim(name)).ready),
  );
  for (const server of servers) {
    expect(server.port).not.toBe(port);
    expect(world.supervisor.list().map((info) => info.port)).toContain(server.port);
  }
});
