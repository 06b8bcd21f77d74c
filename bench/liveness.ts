// How long main makes a caller wait while everything that it starts is broken.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { BROKEN_ROLES, layOutBroken, serveLaidOut } from '../test/support/broken-workers.ts';
import type { Benchmark, Reading, Side } from './measure.ts';
import { finishTask, startTask } from './product-role.ts';
import type { Server } from './server.ts';

const QUIET_MS = 1_000;
/** Nobody listens there. */
const STRANGER = 9;

/** The slowest answer of /livez, seen by a client in a process of its own, while `work` is done. */
async function slowest(server: Server, work: () => Promise<unknown>): Promise<number> {
  const client = spawn(process.execPath, ['bench/livez-client.cjs', server.url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const reading = async (): Promise<number> => {
    client.stdin.write('\n');
    const [text] = await once(client.stdout, 'data');
    return Number(text);
  };
  try {
    await reading(); // it is there, and both sides have run once
    await work();
    return await reading();
  } finally {
    client.stdin.end();
    await once(client, 'exit');
  }
}

const side = (name: string, work: (server: Server) => Promise<unknown>): Side => ({
  name,
  async open(folder) {
    return {
      async once(): Promise<Reading[]> {
        const root = mkdtempSync(join(folder, 'product-'));
        layOutBroken(root, STRANGER);
        const server = await serveLaidOut(root);
        try {
          const value = await slowest(server, () => work(server));
          return [{ name: 'slowest /livez', unit: 'ms', value }];
        } finally {
          await server.stop();
        }
      },
      close: async () => {},
    };
  },
});

async function breakAll(server: Server): Promise<void> {
  const ends = BROKEN_ROLES.map(async (role) => {
    const { task_id } = await startTask(server, role);
    await finishTask(server, task_id);
  });
  await Promise.allSettled(ends);
}

export const liveness: Benchmark = {
  what: 'the slowest of all answers of /livez while six role servers break in six ways, and while nothing happens',
  ...{ runs: 10, warmup: 1 },
  sides: [
    side('nothing happens', () => new Promise((resolve) => setTimeout(resolve, QUIET_MS))),
    side('role servers break', breakAll),
  ],
};
