// What one more task of an agent will cost together with those that it has open, from what earlier tasks of the
// same roles have cost. Said before the task is made: as an event and in the log. Above a limit a person is asked.
import { AppError } from '../domain/errors.ts';
import type { NewEvent } from '../domain/event.ts';
import type { Log, Store } from '../domain/ports.ts';
import type { Query } from '../domain/query.ts';
import { type Amount, NANO, nothing } from '../domain/spend.ts';
import type { SpendReads } from '../domain/spend-ports.ts';
import type { Subagent } from '../domain/subagent.ts';
import { isOpenTask } from '../domain/task.ts';

/** So many of the latest completed tasks of a role are looked at. */
const LOOKED_AT = 50;

export type Estimate = {
  /** Tasks that the estimate is for: the open ones and the new one. */
  tasks: number;
  /** null: no task of any of their roles has been completed yet. */
  amount: Amount | null;
  /** Roles among them of which none has. */
  unknown: string[];
};

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? 0) + (sorted[Math.ceil(at)] ?? 0)) / 2;
}

/** `roles`: of each task that is open, and of the new one. */
export async function estimateFor(reads: SpendReads, roles: readonly string[]): Promise<Estimate> {
  const sum = nothing();
  const unknown: string[] = [];
  for (const role of new Set(roles)) {
    const costs = await reads.ofRole(role, LOOKED_AT);
    if (costs.length === 0) unknown.push(role);
    const times = roles.filter((r) => r === role).length;
    sum.tokens += times * Math.round(median(costs.map((c) => c.tokens)));
    sum.nano_usd += times * Math.round(median(costs.map((c) => c.nano_usd)));
  }
  const known = unknown.length < new Set(roles).size;
  return { tasks: roles.length, amount: known ? sum : null, unknown };
}

const shown = (n: number): string => (n === 0 ? 'none' : String(n));
export type Confirm = { tokens: number; usd: number };

export const isAbove = ({ amount }: Estimate, { tokens, usd }: Confirm): boolean =>
  amount !== null &&
  ((tokens > 0 && amount.tokens > tokens) || (usd > 0 && amount.nano_usd > usd * NANO));

/** In words for people. */
export function fanoutText({ tasks, amount, unknown }: Estimate, confirm: Confirm): string {
  const few = unknown.length > 0 ? ` (nothing is known of: ${unknown.join(', ')})` : '';
  const cost = amount
    ? `about ${amount.tokens} tokens, ${(amount.nano_usd / NANO).toFixed(4)} USD${few}`
    : 'no estimate: no task of these roles has been completed yet';
  const limits = `${shown(confirm.tokens)} tokens, ${shown(confirm.usd)} USD`;
  return `${tasks} ${tasks === 1 ? 'task' : 'tasks'} at work together: ${cost}; a person is asked above: ${limits}`;
}

export const fanoutEvent = (
  estimate: Estimate,
  confirm: Confirm,
  ids: Pick<NewEvent, 'query_id' | 'task_id' | 'agent_id' | 'role'>,
): NewEvent => ({
  kind: 'notice',
  state: 'fanout_estimate',
  detail: fanoutText(estimate, confirm),
  ...ids,
  data: {
    tasks: estimate.tasks,
    tokens: estimate.amount?.tokens ?? null,
    usd: estimate.amount ? estimate.amount.nano_usd / NANO : null,
    unknown: estimate.unknown,
    confirm_above_tokens: confirm.tokens,
    confirm_above_usd: confirm.usd,
  },
});

/** What a yes for the session covers. */
const SUBJECT = 'start tasks above [limits] confirm_above';

/** Who starts one more task. */
type Starter = { name: string; query: Query | null; agent: Subagent | null };

export type FanoutDeps = { store: Store; confirm_above: Confirm; log: Log };

export function createFanout({ store, confirm_above, log }: FanoutDeps) {
  const { reads } = store;

  async function isApproved(
    query_id: string,
    call: { run_id: string; call_id: string },
  ): Promise<boolean> {
    const review = await reads.reviews.byCall(call.run_id, call.call_id);
    if (review?.kind === 'approval' && review.decision) return review.decision.decision !== 'deny';
    return (await reads.reviews.granted(query_id, SUBJECT)) !== null;
  }

  /** AppError spawn_refused with what a person must approve first, in `data.approval`. */
  return async function fanout(
    { query, agent, name }: Starter,
    role: string,
    call: { run_id: string; call_id: string },
  ): Promise<void> {
    if (!query) return;
    const { query_id } = query;
    const task_id = agent?.task_id ?? null;
    const open = (await reads.tasks.children(query_id, task_id)).filter((task) =>
      isOpenTask(task.status),
    );
    const roles = [...open.map((task) => task.subagent_type), role];
    const estimate = await estimateFor(reads.spend, roles);
    const above = isAbove(estimate, confirm_above);
    if (above && (await isApproved(query_id, call))) return;
    if (open.length === 0 && !above) return;
    const ids = { query_id, task_id, agent_id: agent?.agent_id ?? null, role: name };
    const event = fanoutEvent(estimate, confirm_above, ids);
    const detail = event.detail ?? '';
    log.info({ ...ids, ...event.data }, detail);
    await store.soon((t) => t.events.append(event));
    if (!above) return;
    const approval = { action: `start a ${role} task`, detail, subject: SUBJECT };
    throw new AppError('spawn_refused', `not started without the approval of a person: ${detail}`, {
      data: { rule: 'cost', approval },
    });
  };
}
