// The real queries room over the tasks world; what a turn of the main agent does is in the test.
import { silentLog, systemClock } from '../../src/domain/ports.ts';
import type { RunOutcome } from '../../src/domain/run.ts';
import { createLateAnswers } from '../../src/queries/late-answers.ts';
import { createQueryService } from '../../src/queries/service.ts';
import { createTurns, type MainRun } from '../../src/queries/turn.ts';
import { createWorkflows } from '../../src/queries/workflow/index.ts';
import { createWorkspace } from '../../src/queries/workspace.ts';
import { outcome } from './tasks-rows.ts';
import { createWorld, type Work } from './tasks-world.ts';

export type Main = (run: MainRun) => Promise<Partial<RunOutcome> | string>;

export function createQueriesWorld(folder: string, main: Main, work: Work = async () => 'done') {
  const world = createWorld(folder, work);
  const { store, tasks, memory, reviews, standing } = world;
  const workflows = createWorkflows({ store, log: silentLog });
  const turns = createTurns({
    guardHost: (host) => host,
    ...{ store, tasks, standing, clock: systemClock, log: silentLog },
    ...{ memory: memory.agents, reviews: reviews.agents },
    gateway: {
      async *call() {},
      chosen: () => ({ model: 'echo', why: 'test' }),
      route: () => ({ models: ['echo'], why: 'test' }),
      problem: () => null,
      beats: () => false,
      context: () => null,
    } as unknown as Parameters<typeof createTurns>[0]['gateway'],
    roleOf: () => ({ name: 'main', model: 'default', max_depth: 2, may_start: ['coder'] }),
    workflows,
    runMain: async (run) => outcome(await main(run)),
  });
  const queries = createQueryService({
    ...{ store, tasks, turns, standing, clock: systemClock, log: silentLog },
    workspace: createWorkspace(folder, [], null),
    branch: 'auto',
    max_running: 2,
    input_limit: 32_768,
    problemOfModel: () => null,
    workflows,
    tree_limit: { tokens: 0, usd: 0 },
  });
  reviews.onDecided(createLateAnswers({ tasks, queries, log: silentLog }));
  return {
    ...world,
    queries,
    async ended(id: string) {
      await queries.wait(id, 10_000, new AbortController().signal);
      return queries.get(id);
    },
    async close(): Promise<void> {
      tasks.close();
      await queries.close();
      await world.close();
    },
  };
}
