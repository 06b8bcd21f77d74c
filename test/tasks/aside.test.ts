// A task that works for the runtime: no agent waits for it, and the end of a turn leaves it at work.
import { expect, it } from 'vitest';
import { isAside } from '../../src/domain/task.ts';
import { aQuery } from '../contracts/rows.ts';
import { never, tasksHarness } from '../support/tasks-harness.ts';

const { open, running } = tasksHarness();

it('is not waited for, outlasts the end of its turn, and goes with a cancelled query', async () => {
  const { store, tasks } = open(({ signal }) => never(signal));
  const query = aQuery({ status: 'running' });
  const { query_id } = query;
  await store.tx((t) => t.queries.insert(query));
  const start = (aside: boolean) =>
    tasks.spawn({
      parent: {
        name: 'main',
        query,
        agent: null,
        at: { depth: 0, max_depth: 2 },
        may_start: ['coder'],
      },
      ...{ subagent_type: 'coder', description: 'x', call: null },
      with: (t, { task_id }) =>
        aside ? t.tasks.patch(task_id, { delivered_at: t.at }) : Promise.resolve(),
    });
  const [aside, own] = [await start(true), await start(false)];
  await running(aside.task_id);
  const ofMain = { query_id, task_id: null, agent_id: null };
  const open_ids = async () => (await tasks.look(ofMain)).open.map((task) => task.task_id);
  expect(await open_ids()).toEqual([own.task_id]);
  expect(await tasks.cancelUnder(query_id, null, 'the query ended', isAside)).toBe(1);
  const status = async (id: string) => (await tasks.get(id)).task.status;
  expect(await Promise.all([aside, own].map((task) => status(task.task_id)))).toEqual([
    ...['running', 'cancelled'],
  ]);
  expect(await tasks.cancelUnder(query_id, null, 'the query was cancelled')).toBe(1);
  expect(await status(aside.task_id)).toBe('cancelled');
  expect((await tasks.look(ofMain)).ended.map((task) => task.task_id)).toEqual([own.task_id]);
});
