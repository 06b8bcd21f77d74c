// Ports of role servers: the wanted ones when they can be had, others when strangers sit there. The one that is
// written down is the one that answers.
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { BUILT_IN_ROLES } from '../../src/domain/role.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';

const listen = (port: number): Promise<HttpServer> =>
  new Promise((resolve, reject) => {
    const server = createServer((_, res) => res.end('a stranger'));
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server));
  });

/** Ten ports in a row, each taken by a stranger. */
async function strangers(): Promise<{ base: number; servers: HttpServer[] }> {
  for (;;) {
    const first = await listen(0);
    const servers = [first];
    onTestFinished(() => {
      for (const server of servers) server.close();
    });
    const base = (first.address() as AddressInfo).port;
    try {
      for (let n = 1; n < BUILT_IN_ROLES.length; n += 1) servers.push(await listen(base + n));
      return { base, servers };
    } catch {
      for (const server of servers) server.close();
    }
  }
}

/** All roles at work; their ports in the order of the roles. */
async function portsOfAll(base: number): Promise<{ troupe: Troupe; ports: number[] }> {
  const troupe = await startTroupe({ env: { ASYNC_SUBAGENT_BASE_PORT: String(base) } });
  const tasks = await Promise.all(BUILT_IN_ROLES.map((role) => troupe.start(role, 'hello')));
  for (const { task_id } of tasks)
    expect(await troupe.ended(task_id)).toMatchObject({ status: 'completed', result: 'hello' });
  const servers = await troupe.servers();
  const ports = BUILT_IN_ROLES.map((role) => servers.find((s) => s.role === role)?.port as number);
  return { troupe, ports };
}

async function expectRoleServers(troupe: Troupe, ports: number[]): Promise<void> {
  for (const server of await troupe.servers())
    expect(server).toMatchObject({ endpoint: `http://127.0.0.1:${server.port}`, state: 'ready' });
  for (const port of ports) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`);
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain('role server');
  }
  const ready = (await troupe.events('&kinds=server')).filter((e) => e.state === 'ready');
  expect(ready.map((e) => e.data.port).sort()).toEqual([...ports].sort());
}

it('all ten roles start although strangers sit on every port that they want', async () => {
  const { base } = await strangers();
  const { troupe, ports } = await portsOfAll(base);
  const taken = BUILT_IN_ROLES.map((_, index) => base + index);
  expect(ports.filter((port) => taken.includes(port))).toEqual([]);
  expect(new Set(ports).size).toBe(BUILT_IN_ROLES.length);
  await expectRoleServers(troupe, ports);
}, 60_000);

it('each role has its own port after the first one when those are free', async () => {
  const { base, servers } = await strangers();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  const { troupe, ports } = await portsOfAll(base);
  expect(ports).toEqual(BUILT_IN_ROLES.map((_, index) => base + index));
  await expectRoleServers(troupe, ports);
}, 60_000);
