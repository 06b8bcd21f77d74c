// What a failure costs a task, and whether it goes on: one budget over crashes, model retries and alternates.
import { AppError, type Failure, toFailure } from '../domain/errors.ts';
import type { ServerExit, Tx } from '../domain/ports.ts';
import { isOpen, type Subagent } from '../domain/subagent.ts';
import type { AlternateOf } from './alternate.ts';
import { ATTEMPT_BUDGET } from './budget.ts';
import { type Concluded, conclude, move } from './lifecycle.ts';

/**
 * The row of an attempt that gets its place now, as `assigned`; null when it has ended. A queued one is moved there,
 * and so is one whose last write was lost (a full disk): nobody works on it.
 */
export async function assigned(t: Tx, agent_id: string): Promise<Subagent | null> {
  const row = await t.subagents.get(agent_id);
  if (!row || !isOpen(row.state)) return null;
  return row.state === 'assigned' ? row : move(t, row, 'assigned');
}

/** Another try for a quick exit while the budget lasts; any other failed start ends the attempt. */
export async function afterFailedStart(
  t: Tx,
  agent_id: string,
  failure: Failure,
  retry: boolean,
  alternateOf: AlternateOf,
): Promise<'again' | Concluded> {
  const agent = await t.subagents.get(agent_id);
  if (!agent || !isOpen(agent.state)) return 'late';
  const used = agent.attempts_used + 1;
  if (retry && used < ATTEMPT_BUDGET) {
    await t.subagents.patch(agent_id, { attempts_used: used, updated_at: t.at });
    return 'again';
  }
  const outcome = { text: null, error: failure, detail: failure.message };
  return conclude(t, agent_id, 'failed', outcome, alternateOf);
}

/** running → assigned for a run whose server has gone, or failed when its attempts are used up. */
export async function afterCrash(
  t: Tx,
  agent_id: string,
  cost: number,
  text: string,
  exit: ServerExit,
  alternateOf: AlternateOf,
): Promise<'again' | Concluded> {
  const agent = await t.subagents.get(agent_id);
  if (!agent || !isOpen(agent.state)) return 'late';
  const used = agent.attempts_used + cost;
  if (used >= ATTEMPT_BUDGET) {
    await t.subagents.patch(agent_id, { attempts_used: used, updated_at: t.at });
    const error = new AppError('server_crashed', `${text} (attempt ${used} of ${ATTEMPT_BUDGET})`);
    const failure: Failure = {
      ...toFailure(error),
      reasons: [text, exit.stderr_tail].filter(Boolean),
    };
    const outcome = { text: null, error: failure, detail: text };
    return conclude(t, agent_id, 'failed', outcome, alternateOf);
  }
  if (agent.state === 'assigned' || agent.state === 'created') {
    await t.subagents.patch(agent_id, { attempts_used: used, updated_at: t.at });
    return 'again';
  }
  await move(t, agent, 'assigned', {
    detail: `resuming: ${text}`,
    agent: { attempts_used: used, endpoint: null, pid: null, port: null, server_nonce: null },
    data: { reason: exit.reason, code: exit.code, signal: exit.signal },
  });
  return 'again';
}
