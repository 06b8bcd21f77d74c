// lazy-subagents: an accepted start is what brings the server of a role up, so a start goes to main at once, under the
// name that the role really has. Never refuses: the one spawn in main decides, and keeps every refusal.
import type { Middleware } from '../middleware.ts';

export type LazyDeps = {
  /** Roles that this agent may start. */
  may_start: readonly string[];
};

/** Models like to write a name with other capitals. */
const likeOneOf = (names: readonly string[], asked: string): string =>
  names.find((n) => n === asked) ??
  names.find((n) => n.toLowerCase() === asked.toLowerCase()) ??
  asked;

export const lazySubagents = ({ may_start }: LazyDeps): Middleware => ({
  name: 'lazy-subagents',
  async wrapTool(_ctx, call, next) {
    if (call.name !== 'start_async_task') return next(call);
    const subagent_type = likeOneOf(may_start, String(call.args.subagent_type ?? '').trim());
    return next({ ...call, args: { ...call.args, subagent_type } });
  },
});
