import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/domain/ports.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { createStore } from '../../src/store/sqlite/store.ts';
import { aQuery, aSubagent, aTask, fixedClock } from '../contracts/rows.ts';
import { storeContract } from '../contracts/store.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openTemp, stoppedClock } from './support.ts';

storeContract('sqlite', async () => {
  const folder = tempFolder();
  const open = () =>
    createStore({
      database: openDatabase({ file: join(folder, 'state.db'), log: silentLog }),
      log: silentLog,
      clock: fixedClock,
    });
  let store = open();
  return {
    store,
    async reopen() {
      await store.close();
      store = open();
      return store;
    },
    dispose: () => store.close(),
  };
});

describe('group commit', () => {
  it('stores 1,000 tasks asked for at once with few commits, well under the deadline', async () => {
    await using opened = await openTemp();
    const { store } = opened;
    const query = aQuery();
    await store.tx((t) => t.queries.insert(query));
    let commits = 0;
    store.onCommit(() => {
      commits += 1;
    });
    const from = performance.now();
    await Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        store.tx(async (t) => {
          const task = aTask(query.query_id);
          await t.tasks.insert(task, null);
          await t.events.append({
            kind: 'subagent',
            state: 'created',
            task_id: task.task_id,
            data: { i },
          });
        }),
      ),
    );
    expect(performance.now() - from).toBeLessThan(5000);
    expect(await store.reads.events.last()).toBe(1000);
    expect(commits).toBeGreaterThan(0);
    expect(commits).toBeLessThan(200);
  });

  it('shares one commit among what arrives in one turn of the loop', async () => {
    await using opened = await openTemp(stoppedClock);
    const { store } = opened;
    const commits: number[] = [];
    store.onCommit((events) => commits.push(events.length));
    const append = () => store.tx((t) => t.events.append({ kind: 'tool', state: 'x' }));
    await Promise.all([
      append(),
      append(),
      store.soon((t) => t.events.append({ kind: 'tool', state: 'y' })),
    ]);
    expect(commits).toEqual([3]);
  });

  it('lets the event loop breathe under a flood of units', async () => {
    await using opened = await openTemp();
    const { store } = opened;
    let flooding = true;
    const flood = async () => {
      while (flooding) await store.tx((t) => t.events.append({ kind: 'tool', state: 'x' }));
    };
    const floods = Array.from({ length: 50 }, flood);
    for (let timers = 0; timers < 20; timers += 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
    flooding = false;
    await Promise.all(floods);
    expect(await store.reads.events.last()).toBeGreaterThan(50);
  });
});

describe('statements', () => {
  it('never scan or sort a big table', async () => {
    await using opened = await openTemp();
    const { store, database } = opened;
    const query = aQuery();
    const task = aTask(query.query_id);
    await store.tx(async (t) => {
      await t.queries.insert(query);
      await t.tasks.insert(task, { run_id: 'r', call_id: 'c' });
      await t.subagents.insert(aSubagent(task));
      await t.subagents.nextOrdinal(query.query_id, 'coder');
      await t.checkpoints.append({ thread_id: 'th', run_id: 'r', step: 0, messages: [] });
      await t.idempotency.prune('2000-01-01T00:00:00.000Z');
    });
    const { reads } = store;
    const ask = { limit: 5, cursor: null };
    const query_id = query.query_id;
    await reads.queries.get(query_id);
    for (const more of [
      {},
      { status: 'failed' },
      { kind: 'agent' },
      { kind: 'direct', status: 'failed' },
    ] as const)
      await reads.queries.list({ ...ask, ...more });
    for (const more of [
      {},
      { status: 'failed' },
      { role: 'coder' },
      { role: 'coder', status: 'failed' },
      { query_id },
      { query_id, role: 'coder', status: 'failed' },
    ] as const)
      await reads.tasks.list({ ...ask, ...more });
    for (const more of [
      {},
      { state: 'failed' },
      { role: 'coder' },
      { role: 'coder', state: 'failed' },
      { query_id },
    ] as const)
      await reads.subagents.list({ ...ask, ...more });
    const one = { query_id, task_id: 't', agent_id: 'a', role: 'coder' };
    for (const [key, value] of Object.entries(one)) {
      await reads.events.after(0, { [key]: value }, 5);
      await reads.events.after(0, { [key]: value, kinds: ['tool', 'output'] }, 5);
    }
    for (const filter of [
      {},
      one,
      { ...one, kinds: ['tool'] },
      { kinds: ['tool', 'query'] },
    ] as const)
      await reads.events.after(0, filter, 5);
    await reads.tasks.get(task.task_id);
    await reads.tasks.ofQuery(query_id);
    await reads.tasks.children(query_id, null);
    await reads.tasks.open();
    await reads.queries.open();
    await reads.tasks.byCall('r', 'c');
    await reads.subagents.ofQuery(query_id);
    await reads.subagents.ofTask(task.task_id);
    await reads.runs.ofTask(task.task_id);
    await reads.loops.ofQuery(query_id);
    await reads.checkpoints.thread('th');
    await reads.checkpoints.openCalls('r');
    await reads.events.removed();
    await store.tx(async (t) => {
      await t.queries.patch(query_id, { status: 'failed' });
      await t.tasks.patch(task.task_id, { status: 'failed' });
      await t.retention.removeQueries([query_id], '2100-01-01T00:00:00.000Z');
      await t.retention.removeLooseEvents('2100-01-01T00:00:00.000Z', 5);
    });

    const plans = [database.reader, database.writer].flatMap((conn) =>
      conn
        .statements()
        .filter((sql) => /^(SELECT|UPDATE|DELETE)/.test(sql))
        .map((sql) => ({ sql, steps: opened.explain(sql) })),
    );
    expect(plans.length).toBeGreaterThan(40);
    for (const { sql, steps } of plans) {
      const scans = steps.filter(
        (step) => step.startsWith('SCAN') && step !== 'SCAN sqlite_sequence',
      );
      expect(scans, sql).toEqual([]);
      // What is open is few, and only then sorted.
      if (!sql.includes('status IN'))
        expect(
          steps.filter((s) => s.includes('TEMP B-TREE')),
          sql,
        ).toEqual([]);
    }
  });
});
