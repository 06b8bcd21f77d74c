// Starts branches as tasks, in the order in which they may start, and waits for all of them. Every start is idempotent
// by its call id: after an interruption the same branches are found again, not started twice.
import type { RunContext } from '../agent/middleware.ts';
import type { Branch, BranchResult, BranchStatus, Trigger } from '../branching/index.ts';
import { joinSignals } from '../domain/join-signals.ts';
import { noUsage } from '../domain/message.ts';
import type { Reads } from '../domain/ports.ts';
import { isOpenTask, type Task } from '../domain/task.ts';

/** One request waits at most so long; main answers earlier when something has ended. */
const WAIT_MS = 25_000;

export type Branched = {
  results: BranchResult[];
  /** In the order of the request; null where the branch could not be started. */
  tasks: (Task | null)[];
};

const STATUS: Partial<Record<Task['status'], BranchStatus>> = {
  completed: 'completed',
  cancelled: 'cancelled',
};
const statusOf = ({ status, error }: Task): BranchStatus =>
  error?.code === 'run_timeout' ? 'timeout' : (STATUS[status] ?? 'failed');

const resultOf = (branch: Branch, task: Task | null, refusal: string): BranchResult => ({
  index: branch.index,
  task_id: task?.task_id ?? '',
  role: branch.role,
  goal: branch.goal,
  status: task ? statusOf(task) : 'failed',
  summary: task?.result ?? '',
  error: task ? (task.error?.message ?? null) : refusal,
  usage: task?.usage ?? noUsage(),
});

/** Returns when one of them has ended, or after a while. */
async function untilOneEnds(ctx: RunContext, task_ids: readonly string[]): Promise<void> {
  const over = new AbortController();
  const { signal, release } = joinSignals([ctx.signal, over.signal]);
  const waits = task_ids.map((task_id) =>
    ctx.host.tasks({ op: 'check', task_id, wait_ms: WAIT_MS }, signal),
  );
  try {
    await Promise.race(waits);
  } finally {
    over.abort();
    await Promise.allSettled(waits);
    release();
  }
}

/** A sentence that says why not one branch could be started: then the agent goes on alone. */
export async function runBranches(
  ctx: RunContext,
  reads: Reads,
  branches: readonly Branch[],
  trigger: Trigger,
): Promise<Branched | string> {
  const ids = new Map<number, string>();
  const refused = new Map<number, string>();
  const ended = new Set<number>();
  const tasks = new Map<number, Task>();

  async function startReady(): Promise<void> {
    for (const { index, after, role, description } of branches) {
      if (ids.has(index) || refused.has(index) || !after.every((i) => ended.has(i))) continue;
      const call_id = `branch-${trigger}-${index}`;
      const ask = { op: 'start' as const, call_id, subagent_type: role, description };
      const answer = await ctx.host.tasks(ask, ctx.signal);
      if (answer.ok && 'task' in answer) ids.set(index, answer.task.task_id);
      else refused.set(index, answer.ok ? 'it was not started' : answer.message);
      if (refused.has(index)) ended.add(index);
    }
  }
  async function lookAtAll(): Promise<void> {
    for (const [index, task_id] of ids) {
      if (ended.has(index)) continue;
      const task = await reads.tasks.get(task_id);
      if (task && isOpenTask(task.status)) continue;
      if (task) tasks.set(index, task);
      ended.add(index);
    }
  }

  await startReady();
  if (ids.size === 0) return [...refused.values()][0] ?? 'there was nothing to start';
  for (;;) {
    ctx.signal.throwIfAborted();
    await lookAtAll();
    await startReady();
    if (ended.size === branches.length) break;
    const open = branches.filter(({ index }) => ids.has(index) && !ended.has(index));
    const names = open.map(({ index, role }) => `${role} ${ids.get(index)}`).join(', ');
    ctx.host.progress({ activity: `waiting for branches: ${names}` });
    await untilOneEnds(
      ctx,
      open.flatMap(({ index }) => ids.get(index) ?? []),
    );
  }
  // Their outcomes are in the answer: they are never announced again.
  ctx.deliver([...tasks.values()].map(({ task_id }) => task_id));
  return {
    results: branches.map((b) =>
      resultOf(b, tasks.get(b.index) ?? null, refused.get(b.index) ?? ''),
    ),
    tasks: branches.map((b) => tasks.get(b.index) ?? null),
  };
}
