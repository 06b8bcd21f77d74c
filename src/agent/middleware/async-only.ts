// async-only: the main agent delegates by start_async_task alone; tools that would wait silently are hidden.
import type { Middleware } from '../middleware.ts';

const SYNCHRONOUS = new Set(['task', 'spawn_subagent', 'list_subagents']);

export const asyncOnly = (): Middleware => ({
  name: 'async-only',
  toolSpecs: (specs) => specs.filter((s) => !SYNCHRONOUS.has(s.name)),
});
