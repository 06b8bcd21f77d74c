import { expect, it } from 'vitest';
import type { Query } from '../../src/domain/query.ts';
import type { RunHost } from '../../src/domain/run.ts';
import type { Task } from '../../src/domain/task.ts';
import { aQuery } from '../contracts/rows.ts';
import { tasksHarness } from '../support/tasks-harness.ts';
import { outcome } from '../support/tasks-rows.ts';
import type { World } from '../support/tasks-world.ts';

const harness = tasksHarness();
const never = new AbortController().signal;

/** A query with a main agent that starts tasks, as `act` of the service does for it. */
async function family(world: World, project?: string) {
  const row = aQuery({ status: 'running' });
  const query: Query = { ...row, options: { ...row.options, ...(project ? { project } : {}) } };
  await world.store.tx((t) => t.queries.insert(query));
  const at = { depth: 0, max_depth: 2 };
  const parent = { name: 'main', query, agent: null, at, may_start: ['coder', 'reviewer'] };
  let calls = 0;
  const start = async (description: string, subagent_type = 'coder'): Promise<string> => {
    calls += 1;
    const call = { op: 'start', call_id: `c${calls}`, subagent_type, description } as const;
    const answer = await world.tasks.act({ parent, run_id: 'loop_1' }, call, never);
    if (!answer.ok || !('task' in answer)) throw new Error(JSON.stringify(answer));
    return answer.task.task_id;
  };
  const speaker = { query_id: query.query_id, run_id: 'loop_1', task_id: null, agent_id: null };
  return { query, start, main: { ...speaker, role: 'main' } };
}

it('a child stores and finds through its own host; a sibling finds it too', async () => {
  const found: unknown[] = [];
  const world = harness.open(async ({ envelope, host }) => {
    if (envelope.role === 'coder') {
      const content = 'The cache lives in Redis';
      return JSON.stringify(
        await host.memory({ op: 'store', call_id: 'm', content, layer: 'project', tags: [] }),
      );
    }
    const answer = await host.memory({ op: 'search', query: 'cache', layer: null, n: 5 });
    found.push(answer.ok && 'records' in answer && answer.records.map((r) => r.source));
    return 'looked';
  });
  const { start } = await family(world);
  const first = await harness.ended(await start('store it'));
  expect(first.result).toContain('mem_');
  const second = await harness.ended(await start('find it', 'reviewer'));
  expect(second.status).toBe('completed');
  expect(found).toEqual([[expect.stringMatching(/^coder sa_/)]]);
});

it('a run starts with what is remembered for its task, and only that', async () => {
  const world = harness.open(async () => 'done');
  const { start, main } = await family(world, 'shop');
  const store = (content: string) =>
    world.memory.agents.memory(main, {
      ...{ op: 'store', call_id: content, content, layer: 'project', tags: [] },
    });
  await store('Invoices are rendered with Typst');
  await harness.ended(await start('Add a logo to the invoices'));
  await harness.ended(await start('Write a poem about rain'));
  const direct = await harness.ended((await harness.start('coder', 'Which invoices?')).task_id);
  expect(direct.status).toBe('completed');
  expect(world.started.map((e) => e.memory_block)).toEqual([
    expect.stringContaining('Invoices are rendered with Typst'),
    '',
    '',
  ]);
});

it('the outcome of each child is noted once, before its parent hears of it', async () => {
  const seen: string[][] = [];
  const world = harness.open(async ({ envelope, host }) => {
    const { description } = (await world.tasks.get(envelope.thread_id)).task;
    if (description === 'note') await host.brain({ op: 'record', call_id: 'n', note: 'by itself' });
    if (description === 'fail')
      return outcome({
        status: 'failed',
        end_reason: 'error',
        error: { code: 'internal', message: 'no luck', reasons: [] },
      });
    return `${description}: made it\nin detail`;
  });
  const { start, main } = await family(world);
  for (const what of ['plain', 'note', 'fail']) {
    const id = await start(what);
    await harness.ended(id);
    const notes = await world.memory.brain.every(main.query_id);
    seen.push(notes.map((n) => n.note));
  }
  expect(seen.at(-1)).toEqual([
    'result of coder: plain: made it',
    'by itself',
    'failure of coder: no luck',
  ]);
});

it('an outcome that a crash kept from memory is noted at the next start', async () => {
  const world = harness.open(async () => 'made it');
  const { start, main } = await family(world);
  const { agents, brain } = world.memory;
  const { onDelegation } = agents;
  agents.onDelegation = async () => {};
  await harness.ended(await start('work'));
  expect(await brain.every(main.query_id)).toEqual([]);
  agents.onDelegation = onDelegation;
  await world.tasks.catchUp();
  await world.tasks.catchUp();
  expect((await brain.every(main.query_id)).map((n) => n.note)).toEqual([
    'result of coder: made it',
  ]);
});

it('a run that is over stores nothing more', async () => {
  let late: RunHost | undefined;
  const world = harness.open(async ({ host }) => {
    late = host;
    return 'done';
  });
  const { start } = await family(world);
  const task: Task = await harness.ended(await start('work'));
  expect(task.status).toBe('completed');
  const content = 'too late';
  const store = { op: 'store', call_id: 'x', content, layer: 'user' } as const;
  expect(await late?.memory({ ...store, tags: [] })).toMatchObject({
    ok: false,
    code: 'cancelled',
  });
  expect(await late?.brain({ op: 'record', call_id: 'y', note: content })).toMatchObject({
    ...{ ok: false, code: 'cancelled' },
  });
  expect((await world.memory.longTerm.list({ limit: 5, cursor: null })).data).toEqual([]);
});
