// How role servers end, over real processes: crashed, hung, idle, stopped by hand, at shutdown.
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { RoleServer, ServerExit } from '../../src/domain/ports.ts';
import { alive } from '../support/process-table.ts';
import { claimed, failure, fixture, openRoleServers, roleNamed } from '../support/role-servers.ts';
import { until } from '../support/until.ts';

const good = fixture('good');
type Ended = { server: RoleServer; exit: ServerExit; own_fault: boolean };
function watchGone(supervisor: ReturnType<typeof openRoleServers>['supervisor']): Ended[] {
  const ended: Ended[] = [];
  supervisor.onGone((server, exit, own_fault) => ended.push({ server, exit, own_fault }));
  return ended;
}

test('kill -9 of a role server is told with its signal, is nobody’s own fault, and the next one starts', async () => {
  const world = openRoleServers({ worker: good, roles: [roleNamed('coder'), roleNamed('other')] });
  const ended = watchGone(world.supervisor);
  const sibling = await claimed(world.supervisor.claim('other')).ready;
  const server = await claimed(world.supervisor.claim('coder')).ready;
  process.kill(server.pid as number, 'SIGKILL');
  await until(() => ended.length === 1, 5_000, 'onGone');
  expect(ended[0]).toMatchObject({
    server: { server_id: server.server_id },
    exit: { signal: 'SIGKILL', reason: 'killed' },
    own_fault: false,
  });
  expect(alive(sibling.pid as number)).toBe(true);
  expect(world.events.at(-1)).toMatchObject({ kind: 'server', state: 'crashed', role: 'coder' });
  const again = await until(
    () => {
      const answer = world.supervisor.claim('coder');
      return 'wait' in answer ? null : answer;
    },
    5_000,
    'a place after the pause',
  );
  expect((await again.ready).pid).not.toBe(server.pid);
});

test('a role server that ends by itself has only itself to blame', async () => {
  const world = openRoleServers({ worker: fixture('breaks'), roles: [roleNamed('coder')] });
  const ended = watchGone(world.supervisor);
  const server = await claimed(world.supervisor.claim('coder')).ready;
  await expect(server.client.steer('some-run', 'hello')).rejects.toMatchObject({
    code: 'server_unreachable',
  });
  await until(() => ended.length === 1, 5_000, 'onGone');
  expect(ended[0]).toMatchObject({
    exit: { code: 3, stderr_tail: 'this run is too much' },
    own_fault: true,
  });
});

test('a role server that runs out of memory is named so, and it is its own fault', async () => {
  const world = openRoleServers({
    worker: fixture('hungry'),
    roles: [roleNamed('coder')],
    fork: { command: join(dirname(fixture('hungry')), 'small-heap.sh') },
  });
  const ended = watchGone(world.supervisor);
  const server = await claimed(world.supervisor.claim('coder')).ready;
  await server.client.steer('some-run', 'hello').catch(() => {});
  await until(() => ended.length === 1, 20_000, 'onGone');
  expect(ended[0]).toMatchObject({ exit: { reason: 'oom_suspected' }, own_fault: true });
}, 30_000);

test('a busy loop is hung: killed, told; its neighbours live', async () => {
  const world = openRoleServers({
    worker: fixture('busy'),
    roles: [roleNamed('coder'), roleNamed('other')],
    rules: { probe_every_ms: 150, probe_deadline_ms: 150 },
  });
  const ended = watchGone(world.supervisor);
  const other = await claimed(world.supervisor.claim('other')).ready;
  const server = await claimed(world.supervisor.claim('coder')).ready;
  void server.client.steer('some-run', 'hello').catch(() => {});
  await until(() => ended.length === 1, 10_000, 'the busy server is gone');
  expect(ended[0]).toMatchObject({ exit: { reason: 'server_hung' } });
  expect(alive(server.pid as number)).toBe(false);
  expect(alive(other.pid as number)).toBe(true);
});

test('a stopped process is hung: killed, told, replaced; its neighbours live', async () => {
  const world = openRoleServers({
    worker: good,
    roles: [roleNamed('coder'), roleNamed('other')],
    rules: { probe_every_ms: 150, probe_deadline_ms: 150 },
  });
  const ended = watchGone(world.supervisor);
  const other = await claimed(world.supervisor.claim('other')).ready;
  const server = await claimed(world.supervisor.claim('coder')).ready;
  process.kill(server.pid as number, 'SIGSTOP');
  await until(() => ended.length === 1, 10_000, 'the hung server is gone');
  expect(ended[0]).toMatchObject({ exit: { reason: 'server_hung' }, own_fault: true });
  expect(alive(server.pid as number)).toBe(false);
  expect(alive(other.pid as number)).toBe(true);
});

test('other signs of life keep a server that does not answer', async () => {
  const world = openRoleServers({
    worker: good,
    roles: [roleNamed('coder')],
    rules: { probe_every_ms: 100, probe_deadline_ms: 100 },
  });
  const server = await claimed(world.supervisor.claim('coder')).ready;
  const heart = setInterval(() => world.supervisor.heard(server.server_id), 20);
  process.kill(server.pid as number, 'SIGSTOP');
  const since = performance.now();
  await until(() => performance.now() - since > 1_200, 5_000, 'many probes');
  expect(alive(server.pid as number)).toBe(true);
  clearInterval(heart);
  await until(() => !alive(server.pid as number), 10_000, 'without them it is hung');
});

test('an idle server leaves after its time, and a task in that moment gets a new one', async () => {
  const world = openRoleServers({
    worker: good,
    roles: [roleNamed('coder')],
    limits: { idle_ttl_ms: 100, max_servers: 1 },
  });
  const claim = claimed(world.supervisor.claim('coder'));
  const first = await claim.ready;
  claim.release();
  await until(() => world.states().includes('stopping'), 5_000, 'the idle stop');
  const second = await claimed(world.supervisor.claim('coder')).ready;
  expect(second.pid).not.toBe(first.pid);
  expect(world.ours()).toHaveLength(1);
  expect(world.events.find((one) => one.state === 'stopped')?.data).toMatchObject({
    reason: 'idle',
    code: 0,
  });
});

test('stop, start and restart by hand', async () => {
  const world = openRoleServers({ worker: good, roles: [roleNamed('coder')] });
  const started = await world.supervisor.start('coder');
  expect(started).toMatchObject({ state: 'ready', active_runs: 0 });
  const restarted = await world.supervisor.restart('coder');
  expect(restarted).toMatchObject({ state: 'ready', restarts: 1 });
  expect(restarted.pid).not.toBe(started.pid);
  expect(await world.supervisor.stop('coder')).toMatchObject([
    { state: 'stopped', last_exit: { reason: 'stopped' } },
  ]);
  expect(world.supervisor.list()).toEqual([]);
  await expect(world.supervisor.start('nobody')).rejects.toMatchObject({ code: 'unknown_role' });
});

test('a server that neither leaves nor takes a TERM is killed at the end of its grace', async () => {
  const world = openRoleServers({
    worker: fixture('stubborn'),
    roles: [roleNamed('coder')],
    rules: { drain_ms: 300 },
  });
  await world.supervisor.start('coder');
  expect(await world.supervisor.stop('coder')).toMatchObject([
    { state: 'stopped', last_exit: { signal: 'SIGKILL', reason: 'stopped' } },
  ]);
});

test('kill names its reason and costs the runs nothing', async () => {
  const world = openRoleServers({ worker: good, roles: [roleNamed('coder')] });
  const ended = watchGone(world.supervisor);
  const server = await claimed(world.supervisor.claim('coder')).ready;
  await world.supervisor.kill(server, 'cancel_deadline');
  expect(ended).toMatchObject([{ exit: { reason: 'cancel_deadline' }, own_fault: false }]);
});

test('shutdown aborts a start under way, leaves nothing, and refuses new starts', async () => {
  const world = openRoleServers({ worker: fixture('silent'), roles: [roleNamed('coder')] });
  const claim = claimed(world.supervisor.claim('coder'));
  const failed = failure(claim.ready);
  await until(() => world.ours().length === 1, 5_000, 'the process of the start');
  await world.supervisor.close();
  expect((await failed).code).toBe('shutting_down');
  expect(world.ours()).toEqual([]);
  expect(world.supervisor.claim('coder')).toEqual({ wait: 'slot' });
  await expect(world.supervisor.start('coder')).rejects.toMatchObject({ code: 'shutting_down' });
});

test('shutdown in the very moment of the start leaves nothing either', async () => {
  const world = openRoleServers({ worker: good, roles: [roleNamed('coder'), roleNamed('other')] });
  const failed = ['coder', 'other'].map((role) =>
    failure(claimed(world.supervisor.claim(role)).ready),
  );
  await world.supervisor.close();
  for (const error of await Promise.all(failed)) expect(error.code).toBe('shutting_down');
  expect(world.ours()).toEqual([]);
});
