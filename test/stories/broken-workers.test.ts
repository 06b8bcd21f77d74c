// Role servers that are broken in every way, at once, on the built product: each task says what was wrong within
// its limit, the places are free again, and main answers all the while.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROKEN_ROLES, layOutBroken, serveLaidOut } from '../support/broken-workers.ts';
import { layOut } from '../support/laid-out.ts';
import type { Server } from '../support/server.ts';
import type { TaskView } from '../support/troupe-server.ts';

/** Each start may take its turn behind others on a machine of two cores. */
const LIMIT_MS = 20_000;

async function outcome(server: Server, subagent_type: string): Promise<TaskView> {
  const task = { subagent_type, description: `${subagent_type} worked` };
  const { task_id } = await server.call<TaskView>('POST', '/v1/tasks', task);
  return server.call<TaskView>('GET', `/v1/tasks/${task_id}?wait_ms=${LIMIT_MS}`);
}
const held = async (server: Server): Promise<number> =>
  (await server.call<{ slots: { held: number } }>('GET', '/v1/status')).slots.held;

/** Asks again and again; answers with the longest time that an answer took. */
function watchLiveness(server: Server): () => Promise<number> {
  let worst = 0;
  let over = false;
  const watching = (async () => {
    while (!over) {
      const since = performance.now();
      const { status } = await server.ask('GET', '/livez');
      expect(status).toBe(200);
      worst = Math.max(worst, performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return async () => {
    over = true;
    await watching;
    return worst;
  };
}

describe('a role server that', () => {
  const root = mkdtempSync(join(tmpdir(), 'troupe-test-'));
  const outcomes = new Map<string, Promise<TaskView>>();
  let stranger: HttpServer;
  let asked = 0;
  let server: Server;
  let worst: () => Promise<number>;
  const of = (role: string): Promise<TaskView> => outcomes.get(role) as Promise<TaskView>;

  beforeAll(async () => {
    stranger = createServer((_, res) => {
      asked += 1;
      res.end('{"ok":true}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    layOutBroken(root, (stranger.address() as AddressInfo).port);
    server = await serveLaidOut(root);
    worst = watchLiveness(server);
    for (const role of BROKEN_ROLES) outcomes.set(role, outcome(server, role));
  });
  afterAll(async () => {
    await worst();
    const { code } = await server.stop();
    stranger.close();
    rmSync(root, { recursive: true, force: true });
    expect(code).toBe(0);
  });

  it.each([
    ['coder', 'never answers', 'start_timeout', /coder role server was not ready within 3 s/],
    ['planner', 'ends at once', 'role_parked', /planner.*exit code 7.*cannot read my settings/s],
    ['reviewer', 'answers 503 for ever', 'start_not_ready', /not ready.*503/],
    ['backend', 'ignores SIGTERM', 'start_timeout', /backend role server was not ready within 3 s/],
    [
      'frontend',
      'reports the port of a stranger',
      'start_identity_mismatch',
      /not as a role server/,
    ],
  ])(
    '(%s) %s: its task fails with that reason',
    async (role, _how, code, words) => {
      const task = await of(role);
      expect(task).toMatchObject({ status: 'failed', error: { code } });
      expect([task.error?.message, ...(task.error?.reasons ?? [])].join('\n')).toMatch(words);
    },
    LIMIT_MS + 5_000,
  );

  it(
    'prints 100 MB before it is ready works all the same',
    async () => {
      expect(await of('debugger')).toMatchObject({
        status: 'completed',
        result: 'debugger worked',
      });
    },
    LIMIT_MS + 5_000,
  );

  it(
    'failed leaves its place free, no process behind, and main has answered all the while',
    async () => {
      await Promise.all(outcomes.values());
      expect(await held(server)).toBe(0);
      expect(await outcome(server, 'mobile')).toMatchObject({ status: 'completed' });
      const { data } = await server.call<{ data: { role: string; pid: number | null }[] }>(
        'GET',
        '/v1/servers',
      );
      const alive = data.filter(({ pid }) => pid !== null).map(({ role }) => role);
      expect(alive.filter((role) => !['debugger', 'mobile'].includes(role))).toEqual([]);
      expect(asked).toBe(1);
      expect(await worst()).toBeLessThan(1_000);
    },
    LIMIT_MS + 5_000,
  );
});

it(
  'a worker file that is missing is named in the error of the task',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'troupe-test-'));
    layOut(root, null);
    const server = await serveLaidOut(root);
    const worst = watchLiveness(server);
    try {
      const task = await outcome(server, 'coder');
      expect(task.status).toBe('failed');
      expect(JSON.stringify(task.error)).toMatch(/dist\/bin\/worker\.js/);
      expect(await held(server)).toBe(0);
      expect(await worst()).toBeLessThan(1_000);
    } finally {
      await worst();
      await server.stop();
      rmSync(root, { recursive: true, force: true });
    }
  },
  LIMIT_MS + 5_000,
);
