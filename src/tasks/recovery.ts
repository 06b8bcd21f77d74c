// After a restart of main: nothing stays running without someone working on it. Runs before anything is accepted.
import { AppError, type Failure, toFailure } from '../domain/errors.ts';
import type { Log, Store } from '../domain/ports.ts';
import { isOpen, type Subagent } from '../domain/subagent.ts';
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
): Promise<{ queued: number; resumed: number; lost: number }> {
  const counts = { queued: 0, resumed: 0, lost: 0 };
  const open = await store.reads.tasks.open();
  for (let i = 0; i < open.length; i += BATCH) {
    const waiters = await store.tx(async (t) => {
      const out: Waiter[] = [];
      for (const { task_id } of open.slice(i, i + BATCH)) {
        const agent = (await t.subagents.ofTask(task_id)).at(-1);
        if (!agent || !isOpen(agent.state)) continue;
        if (agent.state === 'created') counts.queued += 1;
        else if (policy === 'fail') {
          await conclude(t, agent.agent_id, 'failed', {
            text: null,
            error: lost(),
            detail: 'lost',
          });
          counts.lost += 1;
          continue;
        } else {
          if (agent.state !== 'assigned')
            await move(t, agent, 'assigned', {
              detail: 'resuming: the main process was restarted',
              agent: { endpoint: null, pid: null, port: null, server_nonce: null },
            });
          counts.resumed += 1;
        }
        out.push(waiterOf(agent));
      }
      return out;
    });
    for (const waiter of waiters) enqueue(waiter);
  }
  if (open.length > 0) log.info(counts, 'recovered tasks of the run before');
  return counts;
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
