// The one function that moves a subagent. It never moves one outside the transaction of the event it appends.
import { AppError, type Failure } from '../domain/errors.ts';
import { addUsage, noUsage, type Usage } from '../domain/message.ts';
import type { Tx } from '../domain/ports.ts';
import { fuller } from '../domain/spend.ts';
import {
  canMove,
  isOutcome,
  MAIN_AGENT,
  type Subagent,
  type SubagentState,
} from '../domain/subagent.ts';
import type { Task, TaskStatus } from '../domain/task.ts';
import { withdrawOfAgent, withdrawOfQuery } from '../reviews/rows.ts';
import { type AlternateOf, pickAlternate, startAlternate, withReasonsBefore } from './alternate.ts';
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
 * Moves a subagent, its task's status and the event of it, all in the given unit of work. `agent`: its row as read
 * in this unit. Throws AppError conflict on a move that the table does not allow, and then nothing is written.
 */
export async function move(
  t: Tx,
  agent: Subagent,
  to: SubagentState,
  extra: MoveExtra = {},
): Promise<Subagent> {
  if (!canMove(agent.state, to))
    throw new AppError('conflict', `subagent ${agent.agent_id} is ${agent.state}, not ${to}`, {
      data: { from: agent.state, to },
    });
  const waiting = to === 'created' ? 'slot' : (extra.agent?.waiting ?? null);
  const patch: Partial<Subagent> = { ...extra.agent, state: to, waiting, updated_at: t.at };
  await t.subagents.patch(agent.agent_id, patch);
  // `destroyed` ends the row, not the task: the task keeps its outcome.
  if (to !== 'destroyed') {
    const status = to as TaskStatus;
    await t.tasks.patch(agent.task_id, { ...extra.task, status, waiting, updated_at: t.at });
  }
  const { query_id, task_id, agent_id, role, ordinal, depth, parent_id } = agent;
  const run_id = extra.agent?.run_id ?? agent.run_id;
  await t.events.append({
    kind: 'subagent',
    state: to,
    detail: extra.detail ?? '',
    ...{ query_id, task_id, agent_id, role },
    data: { ordinal, depth, parent_id, run_id, ...extra.data },
  });
  return { ...agent, ...patch };
}

export type Conclusion = {
  text: string | null;
  error: Failure | null;
  detail: string;
  usage?: Usage;
};
export type Concluded = 'ended' | 'goes_on' | 'late';

/**
 * Writes the outcome of an attempt. `late`: it has one already, and nothing is changed. `goes_on`: the task has its
 * next attempt in the same unit (a run that waited on its thread, or the alternate role), so it has not ended.
 */
export async function conclude(
  t: Tx,
  agent_id: string,
  to: 'completed' | 'failed' | 'cancelled',
  outcome: Conclusion,
  alternateOf: AlternateOf | null = null,
): Promise<Concluded> {
  let agent = await t.subagents.get(agent_id);
  if (!agent || isOutcome(agent.state) || agent.state === 'destroyed') return 'late';
  if (to === 'completed') agent = await toRunning(t, agent);
  const alternate =
    alternateOf && outcome.error ? await pickAlternate(t, agent, outcome.error, alternateOf) : null;
  const error =
    outcome.error && !alternate ? await withReasonsBefore(t, agent, outcome.error) : outcome.error;
  const { text, detail } = outcome;
  // What the attempts and runs before have used was used all the same.
  const usage = await usedBy(t, agent, outcome.usage);
  // Created and assigned rows may fail or be cancelled; only a running one completes.
  await move(t, agent, to, {
    detail,
    agent: error ? { error: error.message } : {},
    task: { result: text, error, usage },
  });
  await withdrawOfAgent(t, agent, `its agent has ended: ${to}`);
  if (alternate && error) {
    await startAlternate(t, agent, alternate, { ...outcome, error });
    return 'goes_on';
  }
  if (to === 'cancelled') await dropWaitingRuns(t, agent.task_id, agent_id);
  else if (await openWaitingRun(t, agent.task_id)) return 'goes_on';
  if (agent.parent_id === MAIN_AGENT) await concludeDirect(t, agent, to, { text, error, detail });
  return 'ended';
}

/** A run that went on after a crash knows only of its own calls; the account of the calls knows of all. */
async function usedBy(t: Tx, agent: Subagent, told: Usage = noUsage()): Promise<Usage> {
  const before = (await t.tasks.get(agent.task_id))?.usage ?? noUsage();
  const node = await t.spend.ofNode(agent.query_id, agent.task_id);
  return fuller(addUsage(before, told), node?.usage ?? noUsage());
}

/**
 * Only a running one completes. One that was blocked has gone on; one whose move to `running` was lost with a
 * transaction (a full disk) has run all the same.
 */
async function toRunning(t: Tx, agent: Subagent): Promise<Subagent> {
  if (agent.state === 'running') return agent;
  if (agent.state === 'blocked')
    return move(t, agent, 'running', { detail: 'there is progress again' });
  const at = agent.state === 'created' ? await move(t, agent, 'assigned') : agent;
  return move(t, at, 'running');
}

/** The implicit query of a direct task ends with it. */
async function concludeDirect(
  t: Tx,
  { query_id }: Subagent,
  to: 'completed' | 'failed' | 'cancelled',
  { text, error, detail }: Conclusion,
): Promise<void> {
  const query = await t.queries.get(query_id);
  if (query?.kind !== 'direct') return;
  const all = await t.tasks.ofQuery(query_id);
  const usage = all.reduce((sum, task) => addUsage(sum, task.usage), noUsage());
  await withdrawOfQuery(
    t,
    query_id,
    to === 'cancelled' ? 'cut off' : 'ended',
    `the query ended: ${to}`,
  );
  await t.queries.patch(query_id, { status: to, answer: text, error, usage, updated_at: t.at });
  await t.events.append({ kind: 'query', state: to, detail, query_id });
}

/** Moves every ended subagent of a query to `destroyed`. */
export async function destroyEnded(t: Tx, query_id: string): Promise<void> {
  for (const agent of await t.subagents.ofQuery(query_id))
    if (isOutcome(agent.state)) await move(t, agent, 'destroyed', { detail: 'query ended' });
}

/** An ended subagent is destroyed; AppError conflict while it is at work. */
export async function discard(t: Tx, agent_id: string): Promise<void> {
  const agent = await t.subagents.get(agent_id);
  if (agent && agent.state !== 'destroyed')
    await move(t, agent, 'destroyed', { detail: 'discarded' });
}
