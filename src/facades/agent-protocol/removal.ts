// Removes a thread with everything that hangs on it: what runs on it is stopped first.
import { AppError } from '../../domain/errors.ts';
import type { Lanes } from '../../domain/lanes.ts';
import type { ProtocolThread } from '../../domain/protocol.ts';
import { MAIN } from './assistants.ts';
import type { Begin } from './begin.ts';
import type { ProtocolDeps } from './deps.ts';
import { lookAt } from './status.ts';

/** Later than every row: whatever has ended may go. */
const ANY_AGE = '9999-12-31T00:00:00.000Z';

export function createRemoval(
  { store }: ProtocolDeps,
  { inLane, work }: { inLane: Lanes; work: Begin },
) {
  const { reads } = store;

  /** The query that holds the work of the thread and nothing else; null: there is none. */
  async function queryOf({ thread_id, assistant }: ProtocolThread): Promise<string | null> {
    if (assistant === MAIN) return (await reads.queries.get(thread_id))?.query_id ?? null;
    const task = await reads.tasks.get(thread_id);
    if (!task) return null;
    const query = await reads.queries.get(task.query_id);
    if (query?.kind === 'direct') return task.query_id;
    throw new AppError(
      'conflict',
      `thread ${thread_id} is a task of query ${task.query_id} and is removed with it`,
    );
  }

  return (thread: ProtocolThread): Promise<void> =>
    inLane(thread.thread_id, async () => {
      const query_id = await queryOf(thread);
      for (const run of await reads.protocol.runsOf(thread.thread_id))
        if (run.state === 'started' && (await lookAt(reads, run)).open)
          await work.stop(run, 'its thread is removed').catch(ifStillOpen(run.run_id));
      await store.tx(async (t) => {
        await t.protocol.removeThread(thread.thread_id);
        if (query_id === null) return;
        const { query_ids } = await t.retention.removeQueries([query_id], ANY_AGE);
        if (query_ids.length === 0)
          throw new AppError('conflict', `thread ${thread.thread_id} is still at work; try again`);
      });
    });

  /** One that ended by itself meanwhile has stopped just as well. */
  function ifStillOpen(run_id: string) {
    return async (error: unknown): Promise<void> => {
      const run = await reads.protocol.run(run_id);
      if (run && (await lookAt(reads, run)).open) throw error;
    };
  }
}
