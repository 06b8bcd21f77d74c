// After a restart of main: nothing stays running without someone working on it. Runs before anything is accepted.
import { AppError, type Failure, toFailure } from '../domain/errors.ts';
import type { Log, Store, Tx } from '../domain/ports.ts';
import { isOpen, type Subagent } from '../domain/subagent.ts';
import { isOpenTask } from '../domain/task.ts';
import { conclude, move } from './lifecycle.ts';
import type { Waiter } from './slots.ts';

/** Units of this many rows: a large queue does not hold the loop for long. */
const BATCH = 200;

/**
 * Queued tasks keep their place; running ones are resumed from their checkpoint, or fail with reason `lost`.
 * Answers how many of each.
 */
export async function recover(
  { store, enqueue, log }: { store: Store; enqueue(waiter: Waiter): void; log: Log },
  policy: 'resume' | 'fail',
): Promise<Counts> {
  const counts: Counts = { queued: 0, resumed: 0, lost: 0 };
  const open = await store.reads.tasks.open();
  for (let i = 0; i < open.length; i += BATCH) {
    const waiters = await store.tx(async (t) => {
      const out: Waiter[] = [];
      for (const { task_id } of open.slice(i, i + BATCH)) {
        const agent = await takeUp(t, task_id, policy, counts);
        if (agent) out.push(waiterOf(agent));
      }
      return out;
    });
    for (const waiter of waiters) enqueue(waiter);
  }
  if (open.length > 0) log.info(counts, 'recovered tasks of the run before');
  return counts;
}

type Counts = { queued: number; resumed: number; lost: number };

/** The attempt that waits for a place now, or null when nothing of the task goes on. */
async function takeUp(
  t: Tx,
  task_id: string,
  policy: 'resume' | 'fail',
  counts: Counts,
): Promise<Subagent | null> {
  const latest = async () => (await t.subagents.ofTask(task_id)).at(-1);
  const agent = await latest();
  if (!agent || !isOpen(agent.state)) return null;
  if (await isOrphan(t, agent)) {
    const error = toFailure(new AppError('cancelled', 'its parent had ended before the restart'));
    const outcome = { text: null, error, detail: error.message };
    await conclude(t, agent.agent_id, 'cancelled', outcome);
    return null;
  }
  if (agent.state === 'created') {
    counts.queued += 1;
    return agent;
  }
  if (policy === 'fail') {
    counts.lost += 1;
    const outcome = { text: null, error: lost(), detail: 'lost' };
    // A message that waited on the thread is the next attempt: it has not been lost.
    if ((await conclude(t, agent.agent_id, 'failed', outcome)) !== 'goes_on') return null;
    counts.queued += 1;
    return (await latest()) ?? null;
  }
  counts.resumed += 1;
  if (agent.state === 'assigned') return agent;
  return move(t, agent, 'assigned', {
    detail: 'resuming: the main process was restarted',
    agent: { endpoint: null, pid: null, port: null, server_nonce: null },
  });
}

/** Its parent ended, and main died before it could stop what was under it. A follow-up of its own is no orphan. */
async function isOrphan(t: Tx, agent: Subagent): Promise<boolean> {
  if (agent.metadata.kind !== 'start' && agent.metadata.kind !== 'alternate') return false;
  const parent_id = (await t.tasks.get(agent.task_id))?.parent_task_id;
  const parent = parent_id ? await t.tasks.get(parent_id) : null;
  return parent !== null && !isOpenTask(parent.status);
}

const lost = (): Failure =>
  toFailure(new AppError('lost', 'the main process ended while this ran, and recovery is "fail"'));

const waiterOf = (agent: Subagent): Waiter => ({
  agent_id: agent.agent_id,
  role: agent.role,
  query_id: agent.query_id,
  ancestors: [agent.parent_id],
  returning: agent.state !== 'created',
});
