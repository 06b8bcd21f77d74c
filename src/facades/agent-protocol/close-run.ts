// Writes how a run has ended, once, in the unit of work in which it ends.
import type { Tx } from '../../domain/ports.ts';
import type { EndStatus, ProtocolRun } from '../../domain/protocol.ts';
import type { Tell } from './run-view.ts';

export type End = {
  status: EndStatus;
  reason: string | null;
  error: string | null;
};
export type CloseRun = (t: Tx, run: ProtocolRun, end: End) => Promise<void>;

/** `tell`: work of the same unit, with the row as it is written. */
export const createCloseRun =
  (tell: Tell): CloseRun =>
  async (t, run, { status, reason, error }) => {
    const to_checkpoint = await t.checkpoints.last(run.thread_id);
    const to_seq = await t.events.last();
    const patch = { state: 'ended' as const, status, reason, error, to_seq, to_checkpoint };
    await t.protocol.patchRun(run.run_id, patch);
    await tell(t, { ...run, ...patch });
  };
