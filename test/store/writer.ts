// Appends to the database named by argv until it is killed: each line says what was acknowledged.
// `ack N`: the unit with event N is durable. `full`, `busy`: a unit was refused with that code.
import { writeSync } from 'node:fs';
import { silentLog } from '../../src/domain/ports.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { createStore } from '../../src/store/sqlite/store.ts';
import { aQuery, aSubagent, aTask } from '../contracts/rows.ts';

const say = (line: string) => writeSync(1, `${line}\n`);
const store = createStore({
  database: openDatabase({ file: process.argv[2] ?? '', log: silentLog }),
  log: silentLog,
});
const query = aQuery();
await store.tx((t) => t.queries.insert(query));

async function write(): Promise<void> {
  for (;;) {
    const task = aTask(query.query_id, { description: 'x'.repeat(500) });
    const subagent = aSubagent(task);
    try {
      await store.soon((t) =>
        t.events.append({ kind: 'output', state: 'text', data: { text: 'y' } }),
      );
      const seq = await store.tx(async (t) => {
        await t.tasks.insert(task, null);
        const ordinal = await t.subagents.nextOrdinal(query.query_id, 'coder');
        await t.subagents.insert({ ...subagent, ordinal });
        return t.events.append({ kind: 'subagent', state: 'created', agent_id: subagent.agent_id });
      });
      say(`ack ${seq}`);
    } catch (error) {
      say(String((error as { code?: string }).code));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
for (let i = 0; i < 8; i += 1) void write();
