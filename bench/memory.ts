// What an idle role server holds in memory for itself alone.
import { privateBytes } from '../test/support/process-table.ts';
import { until } from '../test/support/until.ts';
import { startBareChild } from './bare-child.ts';
import type { Benchmark, Reading, Side } from './measure.ts';
import { finishTask, pidOf, startTask, stopRole } from './product-role.ts';
import { startProduct } from './server.ts';

const ROLE = 'coder';

/** Private MiB once the process has come to rest: fifty looks in a row without a change. */
async function atRest(pid: number): Promise<Reading[]> {
  let [last, same] = [-1, 0];
  await until(
    () => {
      const now = privateBytes(pid);
      same = now === last ? same + 1 : 0;
      last = now;
      return same >= 50;
    },
    30_000,
    `the memory of process ${pid} does not change`,
  );
  return [{ name: 'private memory, idle', unit: 'MiB', value: last / 2 ** 20 }];
}

const floor: Side = {
  name: 'bare node:http child',
  open: async () => ({
    async once() {
      const child = await startBareChild();
      const readings = await atRest(child.pid);
      await child.stop();
      return readings;
    },
    close: async () => {},
  }),
};

const product: Side = {
  name: 'troupe role server',
  async open(folder) {
    const server = await startProduct(folder);
    return {
      async once() {
        const { task_id } = await startTask(server, ROLE);
        await finishTask(server, task_id);
        const readings = await atRest(await pidOf(server, ROLE));
        await stopRole(server, ROLE);
        return readings;
      },
      close: () => server.stop(),
    };
  },
};

export const memory: Benchmark = {
  what: 'private pages (clean and dirty) of a role server after its first task, idle',
  ...{ runs: 5, warmup: 1 },
  sides: [floor, product],
};
