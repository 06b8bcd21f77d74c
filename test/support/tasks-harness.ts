// Shared by the tests of the tasks room: one world a test, and the questions they ask of it.
import { afterEach } from 'vitest';
import type { Task } from '../../src/domain/task.ts';
import { createWorld, type Work, type World } from './tasks-world.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

type Options = Parameters<typeof createWorld>[2];

/** Call at the top of a test file: the world of each test is closed after it. */
export function tasksHarness() {
  let world: World;
  afterEach(() => world.close());
  return {
    open: (work: Work, options: Options = {}): World => {
      world = createWorld(tempFolder(), work, options);
      return world;
    },
    world: (): World => world,
    start: (subagent_type = 'coder', description = 'do it'): Promise<Task> =>
      world.tasks.start({ subagent_type, description }),
    async ended(id: string): Promise<Task> {
      await world.tasks.wait(id, 10_000, new AbortController().signal);
      return (await world.tasks.get(id)).task;
    },
    /** States of the task's subagents, in the order of their events. */
    states: async (task_id: string): Promise<string[]> =>
      (await world.store.reads.events.after(0, { task_id, kinds: ['subagent'] }, 100)).map(
        (e) => e.state,
      ),
    running: (id: string) =>
      until(async () => (await world.tasks.get(id)).task.status === 'running', 5_000, `${id} runs`),
  };
}

/** What a run does that never ends by itself. */
export const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new Error('aborted'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
  });
