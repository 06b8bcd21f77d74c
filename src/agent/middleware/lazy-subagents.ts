// lazy-subagents: only a role that may be asked for gets further; its accepted start is what brings its server up.
// Never decides about depth or slots and never starts a process: the one spawn in main does.
import type { Middleware } from '../middleware.ts';

export type LazyDeps = {
  /** Roles that this agent may start. */
  may_start: readonly string[];
  known: readonly string[];
};

export const lazySubagents = ({ may_start, known }: LazyDeps): Middleware => ({
  name: 'lazy-subagents',
  async wrapTool(_ctx, call, next) {
    if (call.name !== 'start_async_task') return next(call);
    const role = String(call.args.subagent_type ?? '').trim();
    const allowed = may_start.join(', ') || 'none';
    const refuse = (why: string) => ({
      ok: false,
      content: `${why} You may start: ${allowed}.`,
      summary: why,
    });
    if (!known.includes(role)) return refuse(`There is no role "${role}".`);
    if (!may_start.includes(role)) return refuse(`You may not start the role "${role}".`);
    return next(call);
  },
});
