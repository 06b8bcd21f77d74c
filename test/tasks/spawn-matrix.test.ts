// Who may start whom: every cell of the table as it is shipped, through the one spawn.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { Query } from '../../src/domain/query.ts';
import { BUILT_IN_ROLES, WORKFLOW_ROLES } from '../../src/domain/role.ts';
import { newPlace } from '../config/place.ts';
import { never, tasksHarness } from '../support/tasks-harness.ts';
import { directQuery } from '../support/tasks-rows.ts';
import { tempFolder } from '../support/temp-folder.ts';

const HELP = ['researcher', 'reviewer'];
const TESTERS = ['TestPrepare', 'TestDesign', 'RunAndFix', 'TestAndFix'];
/** Written down here a second time, by hand. A parent that is missing may start nobody. */
const ALLOWED: Record<string, readonly string[]> = {
  main: BUILT_IN_ROLES,
  planner: HELP,
  architect: HELP,
  coder: HELP,
  frontend: HELP,
  backend: HELP,
  mobile: HELP,
  debugger: HELP,
  StrictPlan: ['QuickExplore', 'TaskCheck', 'SubCoding'],
  StrictSpec: ['Requirement', 'DesignAgent', 'TaskPlan', 'SubCoding', 'QuickExplore'],
  SubCoding: ['TDD'],
  TDD: TESTERS,
};
const ROLES = [...BUILT_IN_ROLES, ...WORKFLOW_ROLES];

const harness = tasksHarness();

function openWorld() {
  const { roles, config } = newPlace().load();
  const named = new Map(roles.map((role) => [role.name, role]));
  const folder = tempFolder();
  const world = harness.open(async ({ signal }) => never(signal), { roles, max_depth: 3 });
  const asks = async (parent: string) => {
    const query: Query = { ...directQuery(folder)('x', new Date().toISOString()), kind: 'agent' };
    await world.store.tx((t) => t.queries.insert(query));
    const may_start = named.get(parent)?.may_start ?? config.main.may_start;
    let calls = 0;
    return {
      query,
      start: (child: string, depth = 1) => {
        const at = { depth, max_depth: 3 };
        calls += 1;
        const call_id = `c${calls}`;
        const call = { op: 'start', call_id, subagent_type: child, description: 'x' } as const;
        const from = { name: parent, query, agent: null, at, may_start };
        return world.tasks
          .act({ parent: from, run_id: query.query_id }, call, new AbortController().signal)
          .then(
            () => 'started' as const,
            (error: unknown) => {
              if (error instanceof AppError) return error;
              throw error;
            },
          );
      },
      refusals: () =>
        world.store.reads.events.after(0, { query_id: query.query_id, kinds: ['security'] }, 500),
    };
  };
  return { world, asks, named };
}

describe('the table of who may start whom', () => {
  for (const parent of ['main', ...ROLES])
    it(`${parent}: starts ${(ALLOWED[parent] ?? []).join(', ') || 'nobody'}; everybody else is refused`, async () => {
      const { asks, named } = openWorld();
      const { query, start, refusals } = await asks(parent);
      const started: string[] = [];
      for (const child of ROLES) {
        const answer = await start(child);
        if (answer === 'started') {
          started.push(child);
          continue;
        }
        expect(answer.code, `${parent} → ${child}`).toBe('spawn_refused');
        expect(answer.data).toMatchObject({ parent, child, depth: 1, max_depth: 3 });
        expect(answer.data.status).toBe('DEPTH_1');
        expect(['hidden', 'matrix']).toContain(answer.data.rule);
        // A hidden role is refused with the roles that may start it.
        if (named.get(child)?.visible_to)
          for (const [allowed, children] of Object.entries(ALLOWED))
            if (allowed !== 'main' && children.includes(child))
              expect(answer.message).toContain(allowed);
      }
      expect(started.sort()).toEqual([...(ALLOWED[parent] ?? [])].sort());
      const events = await refusals();
      expect(events).toHaveLength(ROLES.length - started.length);
      expect(events[0]).toMatchObject({ state: 'spawn_refused', query_id: query.query_id });
      for (const { data, detail } of events) {
        expect(data).toMatchObject({ parent, depth: 1, max_depth: 3, status: 'DEPTH_1' });
        expect(detail).toContain(String(data.child));
      }
    });

  it('at the last depth the same parents start nobody', async () => {
    const { asks } = openWorld();
    for (const [parent, children] of Object.entries(ALLOWED)) {
      const { start } = await asks(parent);
      const answer = await start(children[0] ?? '', 3);
      expect(answer).toMatchObject({ data: { rule: 'depth', depth: 3, status: 'LEAF_NODE' } });
    }
  });

  it('straight through the API only listed roles are started', async () => {
    const { world } = openWorld();
    for (const subagent_type of WORKFLOW_ROLES)
      await expect(world.tasks.start({ subagent_type, description: 'x' })).rejects.toMatchObject({
        code: 'spawn_refused',
      });
    expect((await world.tasks.start({ subagent_type: 'coder', description: 'x' })).depth).toBe(1);
  });
});

describe('the limits of a tree', () => {
  it('fan_out: exactly as many explorers and coders at once as their roles say, and another when one has ended', async () => {
    const { world, asks } = openWorld();
    for (const [child, most] of [
      ['QuickExplore', 3],
      ['SubCoding', 5],
    ] as const) {
      const { query, start } = await asks('StrictPlan');
      const answers = await Promise.all(Array.from({ length: 8 }, () => start(child)));
      const refused = answers.filter((a) => a !== 'started');
      expect(answers.length - refused.length).toBe(most);
      expect(refused[0]).toMatchObject({ data: { rule: 'fan_out' } });
      const [first] = await world.store.reads.tasks.ofQuery(query.query_id);
      await world.tasks.cancel(first?.task_id ?? '', 'room');
      expect(await start(child)).toBe('started');
      expect(await start(child)).not.toBe('started');
    }
  });

  it('max_tasks: exactly so many tasks of one query, also when they come at once', async () => {
    const folder = tempFolder();
    const world = harness.open(async () => 'done', { max_tasks: 7 });
    const query: Query = { ...directQuery(folder)('x', new Date().toISOString()), kind: 'agent' };
    await world.store.tx((t) => t.queries.insert(query));
    const at = { depth: 0, max_depth: 2 };
    const parent = { name: 'main', query, agent: null, at, may_start: ['coder'] };
    const start = (n: number) =>
      world.tasks.act(
        { parent, run_id: 'r' },
        { op: 'start', call_id: `c${n}`, subagent_type: 'coder', description: 'x' },
        new AbortController().signal,
      );
    const answers = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => start(n)));
    const refused = answers.flatMap((a) => (a.status === 'rejected' ? [a.reason] : []));
    expect(refused).toHaveLength(13);
    expect(refused[0]).toMatchObject({ code: 'spawn_refused', data: { rule: 'nodes' } });
    expect(refused[0].message).toContain('7 tasks and max_tasks is 7');
    // A call that was answered before gets the same task, also when the tree is full.
    expect(await start(0)).toMatchObject({ ok: true });
  });
});
