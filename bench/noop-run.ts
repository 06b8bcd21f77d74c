// What the product adds to a task that does nothing, from the request to its result.
import type { Benchmark, Reading, Side } from './measure.ts';
import { finishTask, startTask } from './product-role.ts';
import { type Server, startFloor, startProduct } from './server.ts';

const AT_ONCE = 16;
const TASKS = 48;

async function oneTask(server: Server): Promise<void> {
  const { task_id } = await startTask(server, 'coder');
  await finishTask(server, task_id);
}

async function turnarounds(server: Server): Promise<Reading[]> {
  const since = performance.now();
  await oneTask(server);
  const alone = performance.now() - since;
  let left = TASKS;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await oneTask(server);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  const seconds = (performance.now() - start) / 1000;
  return [
    { name: 'POST → result, alone', unit: 'ms', value: alone },
    { name: `${AT_ONCE} at a time`, unit: 'per s', value: TASKS / seconds },
  ];
}

const floor: Side = {
  name: 'bare pair',
  async open(folder) {
    const server = await startFloor('noop.ts', folder);
    return { once: () => turnarounds(server), close: () => server.stop() };
  },
};

const product: Side = {
  name: 'troupe',
  async open(folder) {
    const server = await startProduct(folder);
    return { once: () => turnarounds(server), close: () => server.stop() };
  },
};

export const noopRun: Benchmark = {
  what: 'a task for a role server that runs: accepted durably, run with the echo model, result read',
  ...{ runs: 20, warmup: 3 },
  sides: [floor, product],
};
