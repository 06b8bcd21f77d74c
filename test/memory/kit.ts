// A real database with the memory room over it, and a query in whose name agents speak.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Speaker } from '../../src/domain/brain.ts';
import type { Embedder } from '../../src/domain/memory-ports.ts';
import { silentLog } from '../../src/domain/ports.ts';
import type { Query } from '../../src/domain/query.ts';
import { createMemory } from '../../src/memory/index.ts';
import { lookAt } from '../../src/queries/look-at.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { createStore } from '../../src/store/sqlite/store.ts';
import { aQuery, aTask } from '../contracts/rows.ts';
import { tempFolder } from '../support/temp-folder.ts';

export async function openMemory({ embedder = null }: { embedder?: Embedder | null } = {}) {
  const database = openDatabase({ file: join(tempFolder(), 'state.db'), log: silentLog });
  const store = createStore({ database, log: silentLog });
  const memory = createMemory({
    ...{ store, embedder, lookAt, log: silentLog },
    mask: (text) => text,
  });
  let calls = 0;
  onTestFinished(async () => {
    await memory.close();
    await store.close();
  });
  const { agents } = memory;
  const main = (query_id: string): Speaker => ({
    ...{ query_id, run_id: `loop_${query_id}`, task_id: null, agent_id: null, role: 'main' },
  });
  const call_id = (): string => {
    calls += 1;
    return `call_${calls}`;
  };
  return {
    store,
    database,
    memory,
    agents,
    main,
    call_id,
    async query(project?: string, more: Partial<Query> = {}): Promise<string> {
      const row = aQuery({ status: 'running', ...more });
      const options = project === undefined ? row.options : { ...row.options, project };
      await store.tx((t) => t.queries.insert({ ...row, options }));
      return row.query_id;
    },
    /** A task of the query and the agent at work on it. */
    async child(query_id: string, role = 'coder', parent: string | null = null): Promise<Speaker> {
      const task = aTask(query_id, { subagent_type: role, parent_task_id: parent });
      await store.tx((t) => t.tasks.insert(task, null));
      const { task_id, run_id } = task;
      return { query_id, task_id, run_id, agent_id: `sa_${task_id.slice(-12)}`, role };
    },
    async remember(by: Speaker, content: string, layer = 'user/profile', tags: string[] = []) {
      const answer = await agents.memory(by, {
        ...{ op: 'store', call_id: call_id(), content, layer, tags },
      });
      if (!answer.ok || !('record' in answer)) throw new Error(JSON.stringify(answer));
      return answer.record;
    },
    async found(by: Speaker, query: string, layer: string | null = null, n = 5) {
      const answer = await agents.memory(by, { op: 'search', query, layer, n });
      if (!answer.ok || !('records' in answer)) throw new Error(JSON.stringify(answer));
      return answer.records;
    },
    async note(by: Speaker, note: string): Promise<number> {
      const answer = await agents.brain(by, { op: 'record', call_id: call_id(), note });
      if (!answer.ok || !('note_id' in answer)) throw new Error(JSON.stringify(answer));
      return answer.note_id;
    },
    async notes(by: Speaker, query: string | null = null, branch: string | null = null) {
      const answer = await agents.brain(by, { op: 'query', query, branch });
      if (!answer.ok || !('notes' in answer)) throw new Error(JSON.stringify(answer));
      return answer.notes;
    },
  };
}
