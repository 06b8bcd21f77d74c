// The two chains of middlewares, in their order. Made new for every run: some of them remember.
import type { Message } from '../domain/message.ts';
import { asyncOnly } from './middleware/async-only.ts';
import { completion } from './middleware/completion.ts';
import { type LazyDeps, lazySubagents } from './middleware/lazy-subagents.ts';
import { lifecycle } from './middleware/lifecycle.ts';
import { longTermMemory } from './middleware/long-term-memory.ts';
import { modelFallback } from './middleware/model-fallback.ts';
import { type ReplyDeps, replyLanguage } from './middleware/reply-language.ts';
import { structured } from './middleware/structured.ts';
import type { Middleware } from './middleware.ts';
import { createOpenTasks } from './open-tasks.ts';

export type RoleChainDeps = {
  memory_block: string;
  /** The thread that the run goes on from. */
  history: readonly Message[];
  /** Whether the agent has the async tools. */
  delegates: boolean;
  /** Whether the final text must have a given shape. */
  shaped: boolean;
};
export type MainChainDeps = Omit<RoleChainDeps, 'delegates' | 'shaped'> &
  LazyDeps & {
    /** The query may end while its tasks are at work. */
    background: boolean;
    reply: ReplyDeps;
    /** Looked at last, when nothing else holds the final text. */
    atEnd?: Middleware;
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
    // After the tasks have ended: only then is a text the final one.
    replyLanguage(deps.reply, deps.history),
    ...(deps.atEnd ? [deps.atEnd] : []),
  ];
}

export function roleChain(deps: RoleChainDeps): Middleware[] {
  const base = [modelFallback(), longTermMemory(deps.memory_block)];
  // After the tasks have ended: only then is a text the final one.
  const shape = deps.shaped ? [structured(deps.history)] : [];
  if (!deps.delegates) return [...base, ...shape];
  const tasks = createOpenTasks(deps.history);
  return [...base, lifecycle(tasks), completion({ tasks, background: false }), ...shape];
}
