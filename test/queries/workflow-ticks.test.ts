import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/domain/ports.ts';
import type { Query } from '../../src/domain/query.ts';
import { createWorkflows } from '../../src/queries/workflow/index.ts';
import { roleNamed } from '../support/role-named.ts';
import { tasksHarness } from '../support/tasks-harness.ts';
import { directQuery } from '../support/tasks-rows.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { TASKS } from '../workflows/documents.ts';

const harness = tasksHarness();
const PATH = '.cospec/plan/changes/add-export/task.md';

async function open(results: Record<string, string | Error>) {
  const workdir = tempFolder();
  mkdirSync(join(workdir, PATH, '..'), { recursive: true });
  writeFileSync(join(workdir, PATH), TASKS);
  const world = harness.open(
    async ({ envelope }) => {
      const task = envelope.messages[0]?.content ?? '';
      const result = results[/Tasks: (.*)/.exec(task)?.[1] ?? ''];
      if (typeof result === 'string') return result;
      throw result;
    },
    { roles: [roleNamed('SubCoding')] },
  );
  const query: Query = {
    ...directQuery(workdir)('x', new Date().toISOString()),
    kind: 'agent',
    options: {
      ...{ model: null, background: false, branch: 'auto', review: 'off' },
      workflow: 'strict-plan',
    },
  };
  await world.store.tx((t) => t.queries.insert(query));
  const workflows = createWorkflows({ store: world.store, log: silentLog });
  await workflows.begin(query);
  const code = async (tasks: string) => {
    const description = `Change: add-export\nTasks: ${tasks}`;
    const parent = {
      ...{ name: 'StrictPlan', query, agent: null, may_start: ['SubCoding'] },
      at: { depth: 0, max_depth: 2 },
    };
    const answer = await world.tasks.act(
      { parent, run_id: 'r' },
      { op: 'start', call_id: tasks, subagent_type: 'SubCoding', description },
      new AbortController().signal,
    );
    if (!answer.ok || answer.op !== 'start') throw new Error('not started');
    await harness.ended(answer.task.task_id);
  };
  const ticked = () =>
    [...readFileSync(join(workdir, PATH), 'utf8').matchAll(/\[x\] (\S+)/g)].map((m) => m[1]);
  return { world, query, code, ticked, file: join(workdir, PATH), workflows };
}

it('a box is ticked when its run has ended well; a crash before the tick is repaired when the turn goes on', async () => {
  const { world, query, code, ticked } = await open({ '1.1': 'Done: 1.1' });
  await code('1.1');
  // Main has ended here: the run is stored, the box is not ticked.
  expect(ticked()).toEqual([]);
  const next = createWorkflows({ store: world.store, log: silentLog });
  await next.begin(query);
  expect(ticked()).toEqual(['1.1']);
  await next.begin(query);
  expect(ticked()).toEqual(['1.1']);
});

it('a run that failed ticks nothing, and one that calls a task undone does not tick that one', async () => {
  const { query, code, ticked, workflows } = await open({
    '1.1': new Error('it broke'),
    '1.1, 1.2': 'Done: 1.1\n\nNot done:\n- 1.2: the button is used elsewhere',
  });
  await code('1.1');
  await workflows.settle(query);
  expect(ticked()).toEqual([]);
  await code('1.1, 1.2');
  await workflows.settle(query);
  expect(ticked()).toEqual(['1.1']);
});

it('a tick that nobody has earned is taken back; those from before the query stay', async () => {
  const { query, ticked, workflows, file } = await open({});
  writeFileSync(file, TASKS.replaceAll('[ ]', '[x]'));
  await workflows.settle(query);
  expect(ticked()).toEqual([]);
  writeFileSync(file, TASKS.replace('[ ] 1.1', '[x] 1.1'));
  const later: Query = { ...query, query_id: 'another' };
  await workflows.begin(later);
  await workflows.settle(later);
  expect(ticked()).toEqual(['1.1']);
});
