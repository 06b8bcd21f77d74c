// Receipts of test runs: what the runtime itself has run and seen, kept as events, which no agent can write.
import type { EventReads, Store } from '../../domain/ports.ts';
import type { Receipt } from '../../workflows/tdd-cycle.ts';
import { notesOf } from './log.ts';

const STATE = 'tests_ran';

/** Of one TDD agent: its task, or null for the main agent. Oldest first. */
export async function receiptsOf(
  reads: { events: EventReads },
  query_id: string,
  task_id: string | null,
): Promise<Receipt[]> {
  return (await notesOf(reads, query_id))
    .filter((e) => e.state === STATE && e.task_id === task_id)
    .map((e) => e.data as Receipt);
}

/** The receipt of this call, when it has been made before. */
export async function receiptByCall(
  reads: { events: EventReads },
  query_id: string,
  run_id: string,
  call_id: string,
): Promise<Receipt | null> {
  const found = (await notesOf(reads, query_id)).find(
    (e) => e.state === STATE && e.data.run_id === run_id && e.data.call_id === call_id,
  );
  return found ? (found.data as Receipt) : null;
}

export const keepReceipt = (
  store: Store,
  query_id: string,
  task_id: string | null,
  call: { run_id: string; call_id: string },
  receipt: Receipt,
): Promise<number> =>
  store.tx((t) =>
    t.events.append({
      kind: 'workflow',
      state: STATE,
      detail: `${receipt.phase}: ${receipt.verdict}, ${receipt.reason}`,
      query_id,
      task_id,
      data: { ...receipt, ...call },
    }),
  );
