// lifecycle: follows the tasks of this run through its tool results. States are written by main, not here.
import type { Middleware } from '../middleware.ts';
import type { OpenTasks } from '../open-tasks.ts';

const OPENS = new Set(['start_async_task', 'update_async_task']);

export const lifecycle = (tasks: OpenTasks): Middleware => ({
  name: 'lifecycle',
  async wrapTool(_ctx, call, next) {
    const result = await next(call);
    if (result.ok && OPENS.has(call.name)) tasks.started(result.content);
    if (result.delivered) tasks.ended(result.delivered);
    return result;
  },
});
