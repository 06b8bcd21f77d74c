// Notes what a resilience policy has done: an event with the words for the user, and the turn's row in loop_runs.
import type { PolicyNote } from '../domain/policy.ts';
import type { Tx } from '../domain/ports.ts';
import { POLICIES } from '../resilience/policy.ts';

type Ids = { query_id: string; task_id: string | null; agent_id: string | null; role: string };

export async function notePolicy(
  t: Tx,
  ids: Ids,
  note: PolicyNote,
  more: Record<string, unknown> = {},
): Promise<void> {
  const { policy, action, attempt, reason } = note;
  const { max_retries, user_status } = POLICIES[policy];
  await t.events.append({
    kind: 'policy',
    state: policy,
    detail: reason.slice(0, 500),
    ...ids,
    data: { action, attempt, max_retries, user_status, ...more },
  });
  // Direct tasks have no turn of a main agent.
  const turn = (await t.loops.ofQuery(ids.query_id)).at(-1);
  if (turn?.status !== 'running') return;
  await t.loops.upsert({
    ...turn,
    retries: turn.retries + (action === 'stop' ? 0 : 1),
    failure_reason: reason.slice(0, 500),
    next_action: action,
    metadata: {
      ...turn.metadata,
      policy: { name: policy, action, attempt, max_retries, user_status },
    },
    updated_at: t.at,
  });
}
