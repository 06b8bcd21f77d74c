// The two chains of middlewares, in their order. Made new for every run: some of them remember.
import type { Message } from '../domain/message.ts';
import { asyncOnly } from './middleware/async-only.ts';
import { completion } from './middleware/completion.ts';
import { type LazyDeps, lazySubagents } from './middleware/lazy-subagents.ts';
import { lifecycle } from './middleware/lifecycle.ts';
import { longTermMemory } from './middleware/long-term-memory.ts';
import { modelFallback } from './middleware/model-fallback.ts';
import { type LeftOf, workflow } from './middleware/workflow.ts';
import type { Middleware } from './middleware.ts';
import { createOpenTasks } from './open-tasks.ts';

export type RoleChainDeps = {
  memory_block: string;
  /** The thread that the run goes on from. */
  history: readonly Message[];
  /** Whether the agent has the async tools. */
  delegates: boolean;
};
export type MainChainDeps = Omit<RoleChainDeps, 'delegates'> &
  LazyDeps & {
    /** The query may end while its tasks are at work. */
    background: boolean;
    /** Of a main agent that leads a workflow. */
    left?: LeftOf | undefined;
  };

export function mainChain(deps: MainChainDeps): Middleware[] {
  const tasks = createOpenTasks(deps.history);
  return [
    modelFallback(),
    longTermMemory(deps.memory_block),
    asyncOnly(),
    lazySubagents(deps),
    lifecycle(tasks),
    completion({ tasks, background: deps.background }),
    ...(deps.left ? [workflow(deps.left)] : []),
  ];
}

export function roleChain(deps: RoleChainDeps): Middleware[] {
  const base = [modelFallback(), longTermMemory(deps.memory_block)];
  if (!deps.delegates) return base;
  const tasks = createOpenTasks(deps.history);
  return [...base, lifecycle(tasks), completion({ tasks, background: false })];
}
