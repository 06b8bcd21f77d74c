// Every way in which a role server can fail to start: named, inside the limit, nothing left, place free.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { claimed, failure, fixture, openRoleServers, roleNamed } from '../support/role-servers.ts';

const cases: { worker: string; role?: string; code: string; says: RegExp }[] = [
  { worker: 'silent', code: 'start_timeout', says: /not ready within 1\.5 s/ },
  { worker: 'mute-http', code: 'start_timeout', says: /not ready within 1\.5 s/ },
  { worker: 'exits', code: 'start_exited', says: /exit code 7.*cannot read my settings/s },
  { worker: 'missing', code: 'start_exited', says: /Cannot find module/ },
  { worker: 'unready', code: 'start_not_ready', says: /503/ },
  { worker: 'impostor', role: 'build', code: 'start_identity_mismatch', says: /build another/ },
  { worker: 'impostor', role: 'role', code: 'start_identity_mismatch', says: /"somebody"/ },
  { worker: 'impostor', role: 'pid', code: 'start_identity_mismatch', says: /pid 1/ },
  { worker: 'impostor', role: 'proof', code: 'start_identity_mismatch', says: /proof is wrong/ },
  ...[
    ['not-json', /not JSON/],
    ['no-newline', /has no end|not ready within/],
    ['two-lines', /more than one line/],
    ['second-line-later', /more than one line/],
    ['too-long', /longer than 65536|more than one/],
    ['not-utf8', /not UTF-8/],
    ['wrong-version', /version 2, expected 1/],
    ['wrong-proof', /proof is wrong/],
    ['wrong-pid', /pid 1, expected/],
    ['wrong-port', /port 70000/],
  ].map(([role, says]) => ({
    worker: 'bad-line',
    role: role as string,
    code: 'start_bad_ready_line',
    says: says as RegExp,
  })),
];

test.each(cases)('$worker $role: $code', async ({ worker, role = 'coder', code, says }) => {
  const world = openRoleServers({
    worker: fixture(worker),
    roles: [roleNamed(role)],
    rules: { start_timeout_ms: 1_500 },
    limits: { max_servers: 1 },
    budget: { pause: { base_ms: 1, factor: 1, max_ms: 1 } },
  });
  const since = performance.now();
  const claim = claimed(world.supervisor.claim(role));
  const error = await failure(claim.ready);
  claim.release();

  expect(error.code).toBe(code);
  expect(error.message).toMatch(says);
  expect(performance.now() - since).toBeLessThan(5_000);
  expect(world.ours()).toEqual([]);
  const event = world.events.find((one) => one.state === 'failed_start');
  expect(event?.data).toMatchObject({ reason: code });
  expect(world.supervisor.list()).toMatchObject([
    { state: 'crashed', last_exit: { reason: code } },
  ]);
  // The one seat is free again.
  const again = await new Promise<ReturnType<typeof world.supervisor.claim>>((resolve) => {
    const look = () => {
      const answer = world.supervisor.claim(role);
      if (!('wait' in answer)) resolve(answer);
    };
    world.supervisor.onChange(look);
    look();
  });
  await failure(claimed(again).ready);
});

test('a child that ends at once is reported in less than a second, with its code and its last words', async () => {
  const world = openRoleServers({ worker: fixture('exits'), roles: [roleNamed('coder')] });
  const since = performance.now();
  const error = await failure(claimed(world.supervisor.claim('coder')).ready);
  expect(performance.now() - since).toBeLessThan(1_000);
  expect(error.data).toMatchObject({ code: 7, stderr_tail: 'cannot read my settings' });
});

test('a missing program is a failed start, not a crash of main', async () => {
  const world = openRoleServers({
    worker: fixture('good'),
    roles: [roleNamed('coder')],
    fork: { command: '/nowhere/node' },
  });
  const error = await failure(claimed(world.supervisor.claim('coder')).ready);
  expect(error.code).toBe('start_spawn_failed');
  expect(error.message).toContain('ENOENT');
  expect(world.guard.pid()).toBeNull();
});

test('a foreign server that answers 200 to everything is never adopted', async () => {
  let requests = 0;
  const stranger = createServer((_, res) => {
    requests += 1;
    res.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void stranger.close());
  const role = `foreign-${(stranger.address() as AddressInfo).port}`;
  const world = openRoleServers({ worker: fixture('foreign'), roles: [roleNamed(role)] });
  const error = await failure(claimed(world.supervisor.claim(role)).ready);
  expect(error.code).toBe('start_identity_mismatch');
  expect(requests).toBe(1);
  expect(world.ours()).toEqual([]);
});

test('a server that is not ready yet is waited for', async () => {
  const world = openRoleServers({ worker: fixture('slow-start'), roles: [roleNamed('coder')] });
  await claimed(world.supervisor.claim('coder')).ready;
  expect(world.states()).toEqual(['spawned', 'ready']);
});

test('100 MB of output before it is ready neither blocks the child nor fills main', async () => {
  const world = openRoleServers({
    worker: fixture('chatty'),
    roles: [roleNamed('coder')],
    rules: { start_timeout_ms: 18_000 },
  });
  const before = process.memoryUsage.rss();
  await claimed(world.supervisor.claim('coder')).ready;
  expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024);
  const log = await world.supervisor.log('coder', 5);
  expect(log.at(-1)).toContain('the last word');
});

test('a crash loop is paused, then parked, and an operator may start it again', async () => {
  const world = openRoleServers({
    worker: fixture('exits'),
    roles: [roleNamed('coder')],
    budget: { max_exits: 3, pause: { base_ms: 20, factor: 2, max_ms: 100 } },
  });
  const codes: string[] = [];
  let paused = 0;
  let under_way = false;
  await new Promise<void>((resolve) => {
    const attempt = (): void => {
      if (under_way) return;
      const answer = world.supervisor.claim('coder');
      if ('wait' in answer) {
        paused += 1;
        return;
      }
      under_way = true;
      answer.ready.catch((error) => {
        under_way = false;
        codes.push(error.code);
        answer.release();
        if (error.code === 'role_parked') resolve();
        else attempt();
      });
    };
    world.supervisor.onChange(attempt);
    attempt();
  });
  expect(codes).toEqual(['start_exited', 'start_exited', 'start_exited', 'role_parked']);
  expect(paused).toBeGreaterThan(0);
  expect(world.states().filter((state) => state === 'failed_start')).toHaveLength(3);
  expect(world.states()).toContain('parked');
  expect(world.supervisor.list()).toMatchObject([{ role: 'coder', state: 'parked' }]);
  await expect(world.supervisor.start('coder')).rejects.toMatchObject({ code: 'start_exited' });
  expect(world.states()).toContain('unparked');
});
