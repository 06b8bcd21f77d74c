// What other programs, the operating system and the operator may do to the files of a running server.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { productEnv } from '../support/server.ts';
import { smallDisk } from '../support/small-disk.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTroupe, type TaskView, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

/** The longest answer of /livez while `work` goes on, in milliseconds. */
async function slowestPulse(troupe: Troupe, work: Promise<unknown>): Promise<number> {
  let over = false;
  let slowest = 0;
  const done = work.finally(() => {
    over = true;
  });
  while (!over) {
    const since = performance.now();
    await troupe.call('GET', '/livez');
    slowest = Math.max(slowest, performance.now() - since);
  }
  await done;
  return slowest;
}
const works = async (troupe: Troupe): Promise<void> => {
  const { task_id } = await troupe.start('coder', 'well');
  expect((await troupe.ended(task_id)).result).toBe('well');
};

describe('a database that another program has locked', { timeout: 60_000 }, () => {
  const lock = (troupe: Troupe): (() => void) => {
    const other = new Sqlite(join(troupe.folder, 'troupe.db'));
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    return () => void other.exec('ROLLBACK');
  };

  it('for a moment delays answers, and nothing else', async () => {
    const troupe = await startTroupe();
    await works(troupe);
    const release = lock(troupe);
    const accepted = troupe.start('coder', 'patience');
    const slowest = await slowestPulse(
      troupe,
      new Promise((resolve) => setTimeout(resolve, 1_000)).then(release),
    );
    expect(slowest).toBeLessThan(1_000);
    expect((await troupe.ended((await accepted).task_id)).result).toBe('patience');
  });

  it('for good is refused with 503, and main stays up and goes on when it is free', async () => {
    const troupe = await startTroupe();
    const busy = await troupe.start('planner', '[[delay=1500]] through it');
    await until(
      async () => (await troupe.task(busy.task_id)).status === 'running',
      20_000,
      'the task runs',
    );
    const release = lock(troupe);
    const asked = Promise.all(
      [1, 2, 3].map((n) =>
        troupe.ask<{ code: string }>('POST', '/v1/tasks', {
          ...{ subagent_type: 'coder', description: `no ${n}` },
        }),
      ),
    );
    expect(await slowestPulse(troupe, asked)).toBeLessThan(1_000);
    for (const { status, headers, body } of await asked) {
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'storage_busy' });
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await troupe.ask('GET', '/livez')).toMatchObject({ status: 200 });
    expect((await troupe.task(busy.task_id)).status).toBe('running');
    release();
    expect((await troupe.ended(busy.task_id)).result).toBe('through it');
    await works(troupe);
    const { data } = await troupe.call<{ data: TaskView[] }>('GET', '/v1/tasks');
    expect(data.map((task) => task.result).sort()).toEqual(['through it', 'well']);
  });
});

describe('file handles', { timeout: 60_000 }, () => {
  const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
  const limit = (pid: number, most: number | 'unlimited'): void =>
    void execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${most}:`]);

  it('that are used up cost connections and starts, not the server', async () => {
    const troupe = await startTroupe({ config: '[subagents]\nstart_deadline_s = 5\n' });
    await works(troupe);
    const waiting = await troupe.start('planner', '[[delay=4000]] through it');
    await until(
      async () => (await troupe.task(waiting.task_id)).status === 'running',
      20_000,
      'the task runs',
    );
    const most = openFiles(troupe.pid) + 20;
    limit(troupe.pid, most);
    // A role whose server has to be started while there is no handle for its pipes.
    const { port } = new URL(troupe.url);
    const sockets = Array.from({ length: 80 }, () => connect(Number(port), '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {});
    await until(() => openFiles(troupe.pid) >= most - 2, 10_000, 'the handles are used up');
    // It may be refused, or wait until there is a handle for its connection.
    const asked = troupe
      .ask<TaskView>('POST', '/v1/tasks', { subagent_type: 'reviewer', description: 'late' })
      .catch(() => null);
    expect((await troupe.ended(waiting.task_id)).result).toBe('through it');
    for (const socket of sockets) socket.destroy();
    await until(() => openFiles(troupe.pid) < most - 10, 10_000, 'they are free again');
    await works(troupe);
    const started = await asked;
    if (started?.status === 202)
      expect((await troupe.ended(started.body.task_id)).status).toBe('completed');
    limit(troupe.pid, 4096);
    expect((await troupe.stop()).code).toBe(0);
  });
});

describe('outputs', { timeout: 60_000 }, () => {
  it('that nobody reads any more do not end the service', async () => {
    const folder = tempFolder();
    const main = spawn(process.execPath, ['dist/bin/server.js'], {
      env: productEnv(folder, { TROUPE_LOG_LEVEL: 'debug' }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void main.kill('SIGKILL'));
    let said = '';
    main.stdout.on('data', (text) => {
      said += text;
    });
    const url = await until(() => /listening on (\S+)/.exec(said)?.[1], 20_000, 'it listens');
    main.stdout.destroy();
    main.stderr.destroy();
    const post = () =>
      fetch(`${url}/v1/tasks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ subagent_type: 'coder', description: 'unheard' }),
      });
    for (let n = 0; n < 20; n += 1) expect((await post()).status).toBe(202);
    await until(
      async () => {
        const page = await fetch(`${url}/v1/tasks?status=completed`);
        return ((await page.json()) as { data: object[] }).data.length === 20;
      },
      20_000,
      'all of them end',
    );
    const ended = once(main, 'exit');
    main.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('of role servers that cannot be written cost the log, not the work', async () => {
    const folder = tempFolder();
    // A file is where the folder of the logs has to be: not even root can write into it.
    writeFileSync(join(folder, 'logs'), 'in the way');
    const troupe = await startTroupe({ folder });
    await works(troupe);
    expect(await troupe.call('GET', '/v1/servers/coder/log')).toMatchObject({ role: 'coder' });
    expect((await troupe.stop()).code).toBe(0);
  });
});

describe('kill -9 of main on a full disk', { timeout: 60_000 }, () => {
  it('loses nothing that was acknowledged', async () => {
    const disk = smallDisk(24);
    const troupe = await startTroupe({ folder: disk.folder });
    await works(troupe);
    disk.fill(troupe.pid);
    await until(
      async () => {
        const body = { subagent_type: 'coder', description: 'x'.repeat(8_000) };
        const { status } = await troupe.ask('POST', '/v1/tasks', body);
        expect([202, 507]).toContain(status);
        return status === 507;
      },
      30_000,
      'work is refused',
    );
    const { data } = await troupe.call<{ data: TaskView[] }>('GET', '/v1/tasks?limit=1000');
    await troupe.kill();
    disk.free(troupe.pid);
    const again = await startTroupe({ folder: disk.folder });
    for (const { task_id } of data) expect((await again.ended(task_id)).status).toBe('completed');
    await works(again);
  });
});
