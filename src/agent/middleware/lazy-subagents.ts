// lazy-subagents: a role's server starts when the role is first asked for, and only for a role that may be.
// Never decides about depth or slots: the one spawn in main does.
import type { Middleware } from '../middleware.ts';

export type LazyDeps = {
  /** Roles that this agent may start. */
  may_start: readonly string[];
  known: readonly string[];
  /** Starts the role's server early; left out where the accepted start does so anyway. */
  warm?(role: string): void;
};

export const lazySubagents = ({ may_start, known, warm }: LazyDeps): Middleware => ({
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
    warm?.(role);
    return next(call);
  },
});
