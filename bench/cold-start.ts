// How long somebody waits for a role server that does not run yet.
import { startBareChild } from './bare-child.ts';
import { type EventReader, readEvents } from './event-reader.ts';
import type { Benchmark, Reading, Side } from './measure.ts';
import { finishTask, startTask, stopRole } from './product-role.ts';
import { type Server, startProduct } from './server.ts';

const ROLE = 'coder';
const ms = (name: string, value: number): Reading => ({ name, unit: 'ms', value });

const floor: Side = {
  name: 'bare node:http child',
  open: async () => ({
    async once() {
      const child = await startBareChild();
      await child.stop();
      return [ms('spawn → healthy', child.ready_ms)];
    },
    close: async () => {},
  }),
};

async function coldTask(server: Server, events: EventReader): Promise<Reading[]> {
  events.clear();
  const since = performance.now();
  const { task_id } = await startTask(server, ROLE);
  const answered = performance.now() - since;
  const running = await events.first(
    'the task is running',
    (e) => e.kind === 'subagent' && e.state === 'running' && e.task_id === task_id,
  );
  const ready = await events.first(
    'the role server is ready',
    (e) => e.kind === 'server' && e.state === 'ready' && e.role === ROLE,
  );
  await finishTask(server, task_id);
  await stopRole(server, ROLE);
  return [
    ms('spawn → healthy', Number(ready.event.data.took_ms)),
    ms('POST → running', running.at - since),
    ms('POST → 202', answered),
  ];
}

const product: Side = {
  name: 'troupe role server',
  async open(folder) {
    const server = await startProduct(folder);
    const events = await readEvents(server.url);
    return {
      once: () => coldTask(server, events),
      async close() {
        events.close();
        await server.stop();
      },
    };
  },
};

export const coldStart: Benchmark = {
  what: 'the first task of a role, whose server must be started for it',
  ...{ runs: 20, warmup: 2 },
  sides: [floor, product],
};
