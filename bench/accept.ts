// How fast tasks are accepted: stored durably and answered. Nothing of them is run meanwhile.
import { type Benchmark, quantile, type Reading, type Side } from './measure.ts';
import { startTask } from './product-role.ts';
import { type Server, startFloor, startProduct } from './server.ts';

const CALLERS = [1, 16, 64];
const REQUESTS = 128;

async function load(server: Server, callers: number): Promise<Reading[]> {
  const latencies: number[] = [];
  let left = REQUESTS;
  const since = performance.now();
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const asked = performance.now();
      await startTask(server, 'coder');
      latencies.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - since) / 1000;
  return [
    { name: `${callers} at a time, p50`, unit: 'ms', value: quantile(latencies, 0.5) },
    { name: `${callers} at a time`, unit: 'per s', value: REQUESTS / seconds },
  ];
}

async function loads(server: Server): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (const callers of CALLERS) readings.push(...(await load(server, callers)));
  return readings;
}

const floor: Side = {
  name: 'bare Fastify + insert',
  async open(folder) {
    const server = await startFloor('accept.ts', folder);
    return { once: () => loads(server), close: () => server.stop() };
  },
};

const product: Side = {
  name: 'troupe',
  async open(folder) {
    // one task holds the only slot for the whole run, so that all others are accepted and wait
    const server = await startProduct(folder, { MAX_SUBAGENTS: '1' });
    await startTask(server, 'coder', '[[delay=3600000]]');
    return { once: () => loads(server), close: () => server.stop() };
  },
};

export const accept: Benchmark = {
  what: `${REQUESTS} × POST /v1/tasks until each is durable and answered`,
  ...{ runs: 10, warmup: 2 },
  sides: [floor, product],
};
