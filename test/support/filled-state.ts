// A state folder with many tasks in it, written through the store, as a server would find it after a restart.
import { join } from 'node:path';
import { newAgentId } from '../../src/domain/ids.ts';
import { silentLog, type Tx } from '../../src/domain/ports.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { createStore } from '../../src/store/sqlite/store.ts';
import { move } from '../../src/tasks/lifecycle.ts';
import { insertAttempt } from '../../src/tasks/new-attempt.ts';
import { aQuery, aTask } from '../contracts/rows.ts';

/** Rows of one unit: a large one would only cost memory. */
const BATCH = 500;

async function oneTask(t: Tx, folder: string, ended: boolean, n: number): Promise<void> {
  const query = aQuery({
    ...{ kind: 'direct', status: ended ? 'completed' : 'running', input: `task ${n}` },
    ...{ workdir: join(folder, 'query_sessions', `20260101_000000_${n}`) },
  });
  await t.queries.insert(query);
  const task = aTask(query.query_id, { description: `task ${n}`, subagent_type: 'coder' });
  await t.tasks.insert(task, null);
  const agent_id = newAgentId();
  await insertAttempt(t, {
    ...{ agent_id, task, role: 'coder', parent_id: 'main-agent', kind: 'start' as const },
    ...{ attempts_used: 0, input: task.description },
  });
  if (!ended) return;
  for (const state of ['assigned', 'running', 'completed'] as const) {
    const agent = await t.subagents.get(agent_id);
    if (agent)
      await move(t, agent, state, { task: state === 'completed' ? { result: 'made' } : {} });
  }
  await t.events.append({ kind: 'query', state: 'completed', query_id: query.query_id });
}

/** `count` direct tasks, all of them ended or all of them waiting for their turn. */
export async function fillState(folder: string, count: number, ended: boolean): Promise<void> {
  const database = openDatabase({ file: join(folder, 'troupe.db'), log: silentLog });
  const store = createStore({ database, log: silentLog });
  for (let done = 0; done < count; done += BATCH)
    await store.tx(async (t) => {
      for (let n = done; n < Math.min(count, done + BATCH); n += 1)
        await oneTask(t, folder, ended, n);
    });
  await store.close();
}
