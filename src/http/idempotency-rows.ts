// The Idempotency-Key port over the store: rows of 24 hours, written with the acceptance. What is in
// progress is known to this process alone; after a crash nothing is, and the key is free again.
import type { Clock, IdempotencyRow, Store } from '../domain/ports.ts';
import type { IdempotencyAsk, IdempotencyPort, StoredAnswer } from './idempotency.ts';

const LIFE_MS = 24 * 60 * 60 * 1000;

export function createIdempotency({
  store,
  clock,
}: {
  store: Pick<Store, 'tx'>;
  clock: Clock;
}): IdempotencyPort & { prune(): Promise<void> } {
  const inProgress = new Set<string>();
  const oldest = (): string => new Date(clock.now().getTime() - LIFE_MS).toISOString();
  const rowOf = (ask: IdempotencyAsk, answer: StoredAnswer, at: string): IdempotencyRow => ({
    ...ask,
    ...answer,
    created_at: at,
  });

  return {
    async begin(ask) {
      const place = JSON.stringify([ask.api_key, ask.route, ask.key]);
      if (inProgress.has(place)) return { found: 'in_progress' };
      // Taken before the first await: two requests in one tick are one piece of work.
      inProgress.add(place);
      const free = () => inProgress.delete(place);
      try {
        const row = await store.tx((t) => t.idempotency.get(ask.api_key, ask.route, ask.key));
        if (row && row.created_at >= oldest()) {
          free();
          if (row.body_hash !== ask.body_hash) return { found: 'other_body' };
          return { found: 'answer', answer: { status: row.status, response: row.response } };
        }
      } catch (error) {
        free();
        throw error;
      }
      return {
        found: 'new',
        claim: {
          async run(work, answer) {
            let written = false;
            try {
              const accepted = await work(async (t, found) => {
                await t.idempotency.put(rowOf(ask, answer(found), t.at));
                written = true;
              });
              if (!written)
                await store.tx((t) => t.idempotency.put(rowOf(ask, answer(accepted), t.at)));
              return accepted;
            } finally {
              free();
            }
          },
        },
      };
    },
    /** Deletes rows that are over a day old; to be called now and then. */
    prune: () => store.tx((t) => t.idempotency.prune(oldest())),
  };
}
