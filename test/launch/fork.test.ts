// What a role server process is given, and the spare that waits for a role.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { childEnv } from '../../src/launch/child-env.ts';
import { processOf } from '../support/process-table.ts';
import { claimed, fixture, openRoleServers, roleNamed } from '../support/role-servers.ts';
import { until } from '../support/until.ts';

test('the environment is an allow-list plus the markers', () => {
  const env = childEnv(
    {
      PATH: '/bin',
      LC_ALL: 'C',
      PORT: '1',
      NODE_OPTIONS: '--inspect',
      HTTP_PROXY: 'http://x',
      OPENAI_API_KEY: 'key',
      TROUPE_API_KEY: 'key',
    },
    { instance: 'i', server: 's' },
  );
  expect(env).toEqual({ PATH: '/bin', LC_ALL: 'C', TROUPE_INSTANCE: 'i', TROUPE_SERVER: 's' });
});

test('neither arguments nor environment of a role server hold a token, and it leads its own group', async () => {
  const worker = fixture('good');
  const world = openRoleServers({
    worker,
    roles: [roleNamed('coder')],
    fork: { env: { ...process.env, OPENAI_API_KEY: 'sk-secret' } },
  });
  const { pid } = await claimed(world.supervisor.claim('coder')).ready;
  const own = processOf(pid as number);
  expect(own).toMatchObject({ command: `${process.execPath} ${worker}`, group: pid });
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('sk-secret');
});

test('the guard lives as long as role servers do', async () => {
  const world = openRoleServers({ worker: fixture('good'), roles: [roleNamed('coder')] });
  await world.supervisor.start('coder');
  const guard = world.guard.pid() as number;
  expect(processOf(guard)?.command).toContain('troupe-guard');
  await world.supervisor.stop('coder');
  await until(() => processOf(guard) === null, 5_000, 'the guard has left');
});

test('a warm spare is kept after the first use, claimed by the next start and replaced', async () => {
  const world = openRoleServers({
    worker: fixture('good'),
    roles: [roleNamed('coder'), roleNamed('planner')],
    fork: { warm_spares: 1 },
    limits: { max_servers: 2 },
  });
  expect(world.ours()).toEqual([]);
  await claimed(world.supervisor.claim('coder')).ready;
  const spare = await until(
    () => world.ours().find(({ pid }) => pid !== world.supervisor.list()[0]?.pid),
    5_000,
    'a spare',
  );
  const planner = await claimed(world.supervisor.claim('planner')).ready;
  expect(planner.pid).toBe(spare.pid);
  await until(() => world.ours().length === 3, 5_000, 'another spare');
  expect(world.supervisor.list()).toHaveLength(2);
});
