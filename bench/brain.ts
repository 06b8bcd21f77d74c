// What a shared note costs: written by many agents at once, alone in a unit of work or together with others.
import { join } from 'node:path';
import type { Speaker } from '../src/domain/brain.ts';
import { uuidv7 } from '../src/domain/ids.ts';
import { noUsage } from '../src/domain/message.ts';
import { silentLog } from '../src/domain/ports.ts';
import { createBrain } from '../src/memory/brain.ts';
import { openDatabase } from '../src/store/sqlite/database.ts';
import { createStore } from '../src/store/sqlite/store.ts';
import type { Benchmark, Reading, Side } from './measure.ts';

const AGENTS = [1, 20, 100];
const NOTES_EACH = 10;
const NOTE = 'The port of the gateway is 8443 and its configuration is in config/gateway.toml.';

/** `wait_ms`: as createBrain takes it; null: one unit of work for each note, by hand. */
function side(name: string, wait_ms: number | null): Side {
  return {
    name,
    async open(folder) {
      const database = openDatabase({ file: join(folder, 'troupe.db'), log: silentLog });
      const store = createStore({ database, log: silentLog });
      const query_id = uuidv7();
      await store.tx((t) =>
        t.queries.insert({
          ...{ query_id, kind: 'agent', input: 'x', status: 'running', answer: null },
          ...{ branched: false, workdir: folder, usage: noUsage(), iterations: 0, error: null },
          options: { model: null, background: false, branch: 'auto', review: 'off' },
          ...{ created_at: '2026-01-01', updated_at: '2026-01-01' },
        }),
      );
      const brain = createBrain({ store, wait_ms: wait_ms ?? 0 });
      const bare = (by: Speaker, call_id: string): Promise<unknown> =>
        store.tx((t) =>
          t.brain.insert({
            ...{ query_id, kind: 'note', author: by.run_id, role: 'coder', task_id: null },
            ...{ branch: 'main', note: NOTE, run_id: by.run_id, call_id },
          }),
        );
      async function load(agents: number): Promise<Reading> {
        const since = performance.now();
        const agent = async (): Promise<void> => {
          const by = {
            query_id,
            run_id: uuidv7(),
            task_id: null,
            agent_id: uuidv7(),
            role: 'coder',
          };
          for (let n = 0; n < NOTES_EACH; n += 1)
            if (wait_ms === null) await bare(by, `c${n}`);
            else await brain.record(by, `c${n}`, NOTE);
        };
        await Promise.all(Array.from({ length: agents }, agent));
        const value = (performance.now() - since) / (agents * NOTES_EACH);
        return { name: `a note, ${agents} agents at once`, unit: 'ms', value };
      }
      return {
        async once() {
          const readings: Reading[] = [];
          for (const agents of AGENTS) readings.push(await load(agents));
          return readings;
        },
        async close() {
          await brain.flush();
          await store.close();
        },
      };
    },
  };
}

export const brain: Benchmark = {
  what: `${NOTES_EACH} notes by each agent, each waiting for the one before; milliseconds of the whole by the number of notes`,
  ...{ runs: 5, warmup: 1 },
  sides: [side('bare insert', null), side('each by itself', 0), side('batched', 50)],
};
