// loop_runs: one row for each turn of the main agent, and what the policies did in it.
import { newLoopId } from '../domain/ids.ts';
import type { Tx } from '../domain/ports.ts';
import type { LoopRun, Query } from '../domain/query.ts';

/** The row of the turn that goes on, or a new one. */
export async function openLoop(t: Tx, query: Query, model: string): Promise<LoopRun> {
  const last = (await t.loops.ofQuery(query.query_id)).at(-1);
  if (last?.status === 'running') return last;
  const row: LoopRun = {
    run_id: newLoopId(),
    thread_id: query.query_id,
    status: 'running',
    current_step: 'starting',
    retries: 0,
    failure_reason: null,
    next_action: null,
    model,
    fallback_model: null,
    metadata: { prompt_preview: query.input.slice(0, 200) },
    created_at: t.at,
    updated_at: t.at,
  };
  await t.loops.upsert(row);
  return row;
}

/** Fields of `metadata` are added to those that are there: policies have noted theirs meanwhile. */
export async function patchLoop(t: Tx, row: LoopRun, patch: Partial<LoopRun>): Promise<void> {
  const last = (await t.loops.ofQuery(row.thread_id)).find((l) => l.run_id === row.run_id) ?? row;
  const metadata = { ...last.metadata, ...patch.metadata };
  await t.loops.upsert({ ...last, ...patch, metadata, updated_at: t.at });
}
