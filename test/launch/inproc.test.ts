// The same supervisor over role servers that live inside main.
import { expect, test } from 'vitest';
import type { Envelope } from '../../src/domain/run.ts';
import { createInprocLauncher } from '../../src/launch/inproc.ts';
import { envelopeOf } from '../support/envelope.ts';
import { claimed, fixture, openRoleServers, roleNamed } from '../support/role-servers.ts';
import { until } from '../support/until.ts';

test('a role inside main starts lazily, takes runs, drains and stops, without a process', async () => {
  const started: Envelope[] = [];
  let loads = 0;
  let closes = 0;
  const world = openRoleServers({
    worker: fixture('good'),
    roles: [roleNamed('coder', { transport: 'inproc' }), roleNamed('planner')],
    launcherFor: (role, fork) => (role.transport === 'inproc' ? inproc : fork),
  });
  const inproc = createInprocLauncher({
    build: 'inproc',
    guard: world.guard,
    createRunner: async () => {
      loads += 1;
      return {
        start: (envelope) => void started.push(envelope),
        cancel: async () => void started.pop(),
        steer: () => 'delivered',
        status: () => null,
        active: () => started.length,
        close: async () => {
          closes += 1;
        },
      };
    },
  });
  expect(loads).toBe(0);
  const claims = [1, 2, 3].map(() => claimed(world.supervisor.claim('coder')));
  const [server] = await Promise.all(claims.map((claim) => claim.ready));
  expect(loads).toBe(1);
  expect(server).toMatchObject({ pid: null, port: null, endpoint: 'inproc:coder' });
  const envelope = envelopeOf();
  await server?.client.start(envelope);
  expect(started).toEqual([envelope]);
  expect(await server?.client.steer(envelope.run_id, 'x')).toBe('delivered');
  // Hybrid: its neighbour is a process.
  await claimed(world.supervisor.claim('planner')).ready;
  expect(world.ours()).toHaveLength(1);

  let stopped = false;
  const stopping = world.supervisor.stop('coder').then(() => {
    stopped = true;
  });
  await until(() => world.states().includes('stopping'), 2_000, 'the drain');
  expect(stopped).toBe(false);
  await server?.client.cancel(envelope.run_id, 'no need');
  await stopping;
  expect(closes).toBe(1);
  await expect(server?.client.start(envelope)).rejects.toMatchObject({
    code: 'server_unreachable',
  });
});
