// The end of a query on which no turn works (any more).
import type { Failure } from '../domain/errors.ts';
import type { Store } from '../domain/ports.ts';
import { isOpenQuery, type Query } from '../domain/query.ts';
import { withdrawOfQuery } from '../reviews/rows.ts';
import { patchLoop, turnAtWork } from './loop-run.ts';

type Ends = { status: 'cancelled' | 'failed'; error: Failure };

async function end(store: Store, query_id: string, { status, error }: Ends): Promise<void> {
  await store.tx(async (t) => {
    const row = await t.queries.get(query_id);
    if (!row || !isOpenQuery(row.status)) return;
    await t.queries.patch(query_id, { status, error, updated_at: t.at });
    await withdrawOfQuery(t, query_id, 'cut off', `the query ended: ${status}`);
    const loop = await turnAtWork(t, query_id);
    const failure_reason = error.message;
    if (loop) await patchLoop(t, loop, { status: 'failed', current_step: 'ended', failure_reason });
    await t.events.append({ kind: 'query', state: status, detail: error.message, query_id });
  });
}

/** A query without a turn: queued, or the implicit query of direct tasks. */
export const cancelIdle = (store: Store, query: Query, reason: string): Promise<void> =>
  end(store, query.query_id, {
    status: 'cancelled',
    error: { code: 'cancelled', message: reason, reasons: [reason] },
  });

/** A turn that could not begin, or could not be ended as it should: nothing stays running without anybody at work. */
export const failIdle = (store: Store, query_id: string, error: Failure): Promise<void> =>
  end(store, query_id, { status: 'failed', error });
