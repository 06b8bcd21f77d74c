// The values and states of a thread, read from its checkpoints. Nothing is kept: what is durable is what is seen.
import type { Checkpoint, Reads, Tx } from '../../domain/ports.ts';
import type { ProtocolThread } from '../../domain/protocol.ts';
import { type Json, messagesOf } from './messages.ts';
import type { Interrupt } from './person.ts';

/** The node that everything happens in. */
export const NODE = 'agent';

/** What a person must answer before the thread goes on. */
export type Open = { interrupts: Interrupt[]; error: string | null; busy: boolean };

export const checkpointId = (thread_id: string, seq: number): string =>
  `${thread_id.slice(0, 24)}${String(seq).padStart(12, '0')}`;
export const seqOf = (checkpoint_id: string): number => Number(checkpoint_id.slice(24));

const checkpointOf = (thread_id: string, seq: number) => ({
  thread_id,
  checkpoint_ns: '',
  checkpoint_id: checkpointId(thread_id, seq),
  checkpoint_map: null,
});

export type State = {
  values: Json;
  next: string[];
  tasks: Json[];
  metadata: Json;
  created_at: string | null;
  checkpoint: Json;
  parent_checkpoint: Json | null;
  interrupts: Interrupt[];
};

const at = (thread: ProtocolThread, rows: readonly Checkpoint[], i: number): State => {
  const { thread_id } = thread;
  const row = rows[i];
  const before = rows[i - 1];
  const messages = rows.slice(0, i + 1).flatMap(messagesOf);
  return {
    values: row ? { ...thread.values, messages } : { ...thread.values },
    next: [],
    tasks: [],
    metadata: {
      source: row && row.step < 0 ? 'input' : 'loop',
      step: i,
      thread_id,
      ...(row ? { run_id: row.run_id } : {}),
      ...thread.metadata,
    },
    created_at: row?.created_at ?? thread.created_at,
    checkpoint: checkpointOf(thread_id, row?.seq ?? 0),
    parent_checkpoint: before ? checkpointOf(thread_id, before.seq) : null,
    interrupts: [],
  };
};

/** The latest state says what comes next, and what a person is asked. */
function withOpen(state: State, open: Open): State {
  if (!open.busy && open.interrupts.length === 0 && open.error === null) return state;
  const id = String(state.checkpoint.checkpoint_id);
  const task = {
    id,
    name: NODE,
    path: ['__pregel_pull', NODE],
    error: open.error,
    interrupts: open.interrupts,
    checkpoint: null,
    state: null,
    result: null,
  };
  return { ...state, next: [NODE], tasks: [task], interrupts: open.interrupts };
}

export function createStates(reads: Pick<Reads | Tx, 'checkpoints'>) {
  const rowsOf = (thread: ProtocolThread): Promise<Checkpoint[]> =>
    reads.checkpoints.rows(thread.thread_id, 0);
  async function upTo(thread: ProtocolThread, last: number | null): Promise<State> {
    const rows = (await rowsOf(thread)).filter(({ seq }) => last === null || seq <= last);
    return at(thread, rows, rows.length - 1);
  }
  return {
    upTo,
    /** Messages and every other value; `seq`: as they were after that checkpoint. */
    values: async (thread: ProtocolThread, seq: number | null = null): Promise<Json> =>
      (await upTo(thread, seq)).values,
    async latest(thread: ProtocolThread, open: Open): Promise<State> {
      const rows = await rowsOf(thread);
      return withOpen(at(thread, rows, rows.length - 1), open);
    },
    /** The state after a checkpoint; null: it is not on the thread, or not any more. */
    async one(thread: ProtocolThread, checkpoint_id: string, open: Open): Promise<State | null> {
      const rows = await rowsOf(thread);
      const i = rows.findIndex(({ seq }) => checkpointId(thread.thread_id, seq) === checkpoint_id);
      if (i < 0) return null;
      return i === rows.length - 1 ? withOpen(at(thread, rows, i), open) : at(thread, rows, i);
    },
    /** Newest first; `before`: only older ones than this checkpoint. */
    async history(
      thread: ProtocolThread,
      ask: { limit: number; before: string | null },
      open: Open,
    ): Promise<State[]> {
      const rows = await rowsOf(thread);
      const end =
        ask.before === null ? rows.length : rows.findIndex((r) => r.seq >= seqOf(ask.before ?? ''));
      const out: State[] = [];
      for (let i = (end < 0 ? rows.length : end) - 1; i >= 0 && out.length < ask.limit; i -= 1)
        out.push(i === rows.length - 1 ? withOpen(at(thread, rows, i), open) : at(thread, rows, i));
      return out;
    },
  };
}
