// The one function that moves a subagent. It never moves one outside the transaction of the event it appends.
import { AppError, type Failure } from '../domain/errors.ts';
import type { Tx } from '../domain/ports.ts';
import { canMove, isOutcome, type Subagent, type SubagentState } from '../domain/subagent.ts';
import type { Task, TaskStatus } from '../domain/task.ts';
import { dropWaitingRuns, openWaitingRun } from './new-attempt.ts';

export type MoveExtra = {
  detail?: string;
  /** Columns of the subagent row that change with the move. */
  agent?: Partial<Subagent>;
  /** Columns of the task that change with the move. */
  task?: Partial<Task>;
  data?: Record<string, unknown>;
};

/**
 * Moves a subagent, its task's status and the event of it, all in the given unit of work.
 * Throws AppError conflict on a move that the table does not allow, and then nothing is written.
 */
export async function move(
  t: Tx,
  agent_id: string,
  to: SubagentState,
  extra: MoveExtra = {},
): Promise<Subagent> {
  const before = await t.subagents.get(agent_id);
  if (!before) throw new AppError('not_found', `no subagent ${agent_id}`);
  if (!canMove(before.state, to))
    throw new AppError('conflict', `subagent ${agent_id} is ${before.state}, not ${to}`, {
      data: { from: before.state, to },
    });
  const patch: Partial<Subagent> = {
    ...extra.agent,
    state: to,
    waiting: to === 'created' ? 'slot' : (extra.agent?.waiting ?? null),
    updated_at: t.at,
  };
  await t.subagents.patch(agent_id, patch);
  // `destroyed` ends the row, not the task: the task keeps its outcome.
  if (to !== 'destroyed')
    await t.tasks.patch(before.task_id, {
      ...extra.task,
      status: to as TaskStatus,
      waiting: patch.waiting ?? null,
      updated_at: t.at,
    });
  await t.events.append({
    kind: 'subagent',
    state: to,
    detail: extra.detail ?? '',
    query_id: before.query_id,
    task_id: before.task_id,
    agent_id,
    role: before.role,
    data: {
      ordinal: before.ordinal,
      depth: before.depth,
      parent_id: before.parent_id,
      run_id: extra.agent?.run_id ?? before.run_id,
      ...extra.data,
    },
  });
  return { ...before, ...patch };
}

/** Writes the outcome of an attempt. A second outcome changes nothing and answers false. */
export async function conclude(
  t: Tx,
  agent_id: string,
  to: 'completed' | 'failed' | 'cancelled',
  outcome: { text: string | null; error: Failure | null; detail: string; task?: Partial<Task> },
): Promise<boolean> {
  const agent = await t.subagents.get(agent_id);
  if (!agent || isOutcome(agent.state) || agent.state === 'destroyed') return false;
  // Created and assigned rows may fail or be cancelled; only a running one completes.
  await move(t, agent_id, to, {
    detail: outcome.detail,
    agent: outcome.error ? { error: outcome.error.message } : {},
    task: { ...outcome.task, result: outcome.text, error: outcome.error },
  });
  if (to === 'cancelled') await dropWaitingRuns(t, agent.task_id, agent_id);
  else if (await openWaitingRun(t, agent.task_id)) return true;
  await concludeDirect(t, agent, to, outcome);
  return true;
}

/** The implicit query of a direct task ends with it. */
async function concludeDirect(
  t: Tx,
  agent: Subagent,
  to: 'completed' | 'failed' | 'cancelled',
  outcome: { text: string | null; error: Failure | null; detail: string; task?: Partial<Task> },
): Promise<void> {
  const query = await t.queries.get(agent.query_id);
  if (query?.kind !== 'direct') return;
  const task = await t.tasks.get(agent.task_id);
  if (task?.parent_task_id !== null) return;
  await t.queries.patch(query.query_id, {
    status: to,
    answer: outcome.text,
    error: outcome.error,
    usage: task.usage,
    updated_at: t.at,
  });
  await t.events.append({
    kind: 'query',
    state: to,
    detail: outcome.detail,
    query_id: query.query_id,
  });
}

/** Moves every ended subagent of a query to `destroyed`. */
export async function destroyEnded(t: Tx, query_id: string): Promise<void> {
  for (const agent of await t.subagents.ofQuery(query_id))
    if (isOutcome(agent.state))
      await move(t, agent.agent_id, 'destroyed', { detail: 'query ended' });
}
