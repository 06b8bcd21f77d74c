// Whatever agents ask for, in whatever order: no tree gets deeper, larger, wider or more powerful than its limits.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Query } from '../../src/domain/query.ts';
import type { Role } from '../../src/domain/role.ts';
import type { Task } from '../../src/domain/task.ts';
import { roleNamed } from '../support/role-named.ts';
import { never } from '../support/tasks-harness.ts';
import { directQuery } from '../support/tasks-rows.ts';
import { createWorld, type World } from '../support/tasks-world.ts';
import { tempFolder } from '../support/temp-folder.ts';

const NAMES = ['r0', 'r1', 'r2', 'r3'];
const TOOLS = ['read', 'write', 'shell'];
const aRole = fc.record({
  may_start: fc.subarray(NAMES),
  tools: fc.subarray(TOOLS),
  ceiling: fc.boolean(),
  fan_out: fc.constantFrom(0, 1, 2),
  visible_to: fc.constantFrom(null, ['*']),
});
/** An agent by number (0: the main agent) asks for a role, or a task by number is cancelled. */
const aStep = fc.oneof(
  { weight: 5, arbitrary: fc.record({ by: fc.nat(12), role: fc.constantFrom(...NAMES, 'r9') }) },
  { weight: 1, arbitrary: fc.record({ cancel: fc.nat(12) }) },
);
const aCase = fc.record({
  roles: fc.tuple(aRole, aRole, aRole, aRole),
  max_depth: fc.integer({ min: 1, max: 4 }),
  max_tasks: fc.integer({ min: 1, max: 9 }),
  max: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(aStep, { minLength: 5, maxLength: 25 }),
});
type Case = typeof aCase extends fc.Arbitrary<infer C> ? C : never;

/** The task and what is above it, as role names, nearest first. */
function above(task: Task, all: readonly Task[]): string[] {
  const parent = all.find((t) => t.task_id === task.parent_task_id);
  return parent ? [parent.subagent_type, ...above(parent, all)] : [];
}

async function play(world: World, folder: string, given: Case, roles: readonly Role[]) {
  const query: Query = { ...directQuery(folder)('x', new Date().toISOString()), kind: 'agent' };
  await world.store.tx((t) => t.queries.insert(query));
  const signal = new AbortController().signal;
  let refused = 0;
  for (const [n, step] of given.steps.entries()) {
    const tasks = await world.store.reads.tasks.ofQuery(query.query_id);
    if ('cancel' in step) {
      const task = tasks[step.cancel];
      if (task) await world.tasks.cancel(task.task_id, 'x').catch(() => {});
      continue;
    }
    const task = step.by === 0 ? null : tasks[step.by - 1];
    if (task === undefined) continue;
    const agent = task && (await world.store.reads.subagents.ofTask(task.task_id))[0];
    const name = task?.subagent_type ?? 'main';
    const at = { depth: task?.depth ?? 0, max_depth: given.max_depth };
    const may_start = roles.find((r) => r.name === name)?.may_start ?? NAMES;
    const parent = { name, query, agent: agent ?? null, at, may_start };
    const call = { subagent_type: step.role, description: 'x', call_id: `c${n}` };
    await world.tasks
      .act({ parent, run_id: 'r' }, { op: 'start', ...call }, signal)
      .catch((error: { code: string }) => {
        expect(['spawn_refused', 'unknown_role']).toContain(error.code);
        refused += 1;
      });
  }
  return { query, refused };
}

function holds(all: readonly Task[], given: Case, roles: readonly Role[]): void {
  const role = (name: string) => roles.find((r) => r.name === name) as Role;
  expect(all.length).toBeLessThanOrEqual(given.max_tasks);
  for (const task of all) {
    expect(task.depth).toBeLessThanOrEqual(given.max_depth);
    const line = above(task, all);
    expect(task.depth).toBe(line.length + 1);
    if (line[0]) expect(role(line[0]).may_start).toContain(task.subagent_type);
    for (const name of line.filter((n) => role(n).ceiling))
      expect(role(name).tools).toEqual(expect.arrayContaining([...role(task.subagent_type).tools]));
    const { fan_out } = role(task.subagent_type);
    const beside = all.filter(
      (t) =>
        t.parent_task_id === task.parent_task_id &&
        t.subagent_type === task.subagent_type &&
        t.status !== 'cancelled',
    );
    if (fan_out > 0) expect(beside.length).toBeLessThanOrEqual(fan_out);
  }
}

it('no sequence of spawns passes depth, number, fan-out or slots, or gives more power than a ceiling above', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(aCase, async (given) => {
      const roles = NAMES.map((name, i) => roleNamed(name, given.roles[i] as Partial<Role>));
      const folder = tempFolder();
      const { max, max_depth, max_tasks } = given;
      const work = async ({ signal }: { signal: AbortSignal }) => never(signal);
      const world = createWorld(folder, work, { roles, max, max_depth, max_tasks, places: max });
      try {
        const { query, refused } = await play(world, folder, given, roles);
        holds(await world.store.reads.tasks.ofQuery(query.query_id), given, roles);
        expect(world.places().most).toBeLessThanOrEqual(max);
        const told = await world.store.reads.events.after(0, { kinds: ['security'] }, 1_000);
        expect(told).toHaveLength(refused);
      } finally {
        await world.close();
      }
    }),
    { numRuns: 40, seed: 20_261_201 },
  );
});
