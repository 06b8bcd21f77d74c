// The policy for a failed or blocked subagent: its task goes once to the alternate role, with the failure attached.
// Never a third role, never a circle; all in the unit of work that closes the attempt before.
import { frameData } from '../domain/data-frame.ts';
import type { ErrorCode, Failure } from '../domain/errors.ts';
import { newAgentId, uuidv7 } from '../domain/ids.ts';
import type { Tx } from '../domain/ports.ts';
import type { Subagent } from '../domain/subagent.ts';
import type { Task } from '../domain/task.ts';
import { headOf } from '../domain/text.ts';
import { ATTEMPT_BUDGET } from './budget.ts';
import { insertAttempt } from './new-attempt.ts';
import { notePolicy } from './policy-log.ts';

/** The alternate of a role, or null when it has none that is known. */
export type AlternateOf = (role: string) => string | null;

/** Another role would meet the same: no second one tries. */
const NOT_ELSEWHERE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'cancelled',
  'budget_exceeded',
  'price_unknown',
  'safe_stop',
  'spawn_refused',
  'shutting_down',
  'storage_busy',
  'storage_full',
  'lost',
]);
/** Bytes of what the one before has said. */
const SO_FAR = 4_000;
const KINDS_ALONE = 'alternate';

/** Attempts that belong together: from the last start, follow-up or retry on. */
async function series(t: Tx, task_id: string): Promise<Subagent[]> {
  const all = await t.subagents.ofTask(task_id);
  const from = all.findLastIndex((a) => a.metadata.kind !== KINDS_ALONE);
  return all.slice(Math.max(0, from));
}

export async function pickAlternate(
  t: Tx,
  agent: Subagent,
  error: Failure,
  alternateOf: AlternateOf,
): Promise<string | null> {
  const role = alternateOf(agent.role);
  if (role === null || role === agent.role || NOT_ELSEWHERE.has(error.code)) return null;
  if (agent.attempts_used + 1 > ATTEMPT_BUDGET) return null;
  return (await series(t, agent.task_id)).length > 1 ? null : role;
}

/** When the alternate fails too, the task fails with the reasons of both. */
export async function withReasonsBefore(t: Tx, agent: Subagent, error: Failure): Promise<Failure> {
  const before = (await series(t, agent.task_id)).filter((a) => a.agent_id !== agent.agent_id);
  if (before.length === 0) return error;
  const reasons = before.map((a) => `${a.role}: ${a.error ?? a.state}`);
  const role = before[0]?.role ?? '';
  await notePolicy(t, idsOf(agent), {
    policy: 'subagent_failure',
    action: 'stop',
    attempt: 1,
    reason: `${role} and then ${agent.role} failed: ${error.message}`,
  });
  const own = error.reasons.length > 0 ? error.reasons : [error.message];
  return { ...error, reasons: [...reasons, ...own.map((r) => `${agent.role}: ${r}`)] };
}

const idsOf = ({ query_id, task_id, agent_id, role }: Subagent) => ({
  query_id,
  task_id,
  agent_id,
  role,
});

export async function startAlternate(
  t: Tx,
  agent: Subagent,
  role: string,
  failure: { error: Failure; text: string | null },
): Promise<void> {
  const task = await t.tasks.get(agent.task_id);
  if (!task) return;
  await notePolicy(
    t,
    idsOf(agent),
    {
      policy: 'subagent_failure',
      action: 'retry',
      attempt: 1,
      reason: `${agent.role} ${agent.state}: ${failure.error.message}; ${role} tries`,
    },
    { alternate: role },
  );
  const patch: Partial<Task> = {
    run_id: uuidv7(),
    status: 'created',
    waiting: 'slot',
    result: null,
    error: null,
    schema_valid: null,
    structured: null,
    updated_at: t.at,
  };
  await t.tasks.patch(task.task_id, patch);
  await insertAttempt(t, {
    agent_id: newAgentId(),
    task: { ...task, ...patch },
    role,
    parent_id: agent.parent_id,
    kind: 'alternate',
    attempts_used: agent.attempts_used + 1,
    input: briefing(agent.role, task.description, failure),
  });
}

function briefing(
  role: string,
  description: string,
  { error, text }: { error: Failure; text: string | null },
): string {
  const from = `the ${role} agent`;
  const so_far = text ? `\nWhat it had so far:\n${frameData(from, headOf(text, SO_FAR))}` : '';
  return [
    `The ${role} agent could not finish this task. It ended so:\n${frameData(from, headOf(error.message, SO_FAR))}${so_far}`,
    'What it has already done may be in the working folder and in the messages above: look before you repeat it.',
    `The task:\n${description}`,
  ].join('\n\n');
}
