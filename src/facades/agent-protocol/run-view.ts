// A run as clients know it, and what its webhook tells. Pure but for the reads of the unit that it is made in.
import type { Tx } from '../../domain/ports.ts';
import type { ProtocolRun } from '../../domain/protocol.ts';
import type { Webhooks } from '../../webhooks/index.ts';
import { assistantId } from './assistants.ts';
import type { Json } from './messages.ts';
import { createStates } from './state.ts';
import type { Look } from './status.ts';

export function viewOf(run: ProtocolRun, look: Pick<Look, 'status' | 'reason' | 'error'>): Json {
  const { run_id, thread_id, assistant, metadata, request, strategy } = run;
  return {
    run_id,
    thread_id,
    assistant_id: assistantId(assistant),
    agent_id: assistant,
    status: look.status,
    metadata,
    kwargs: request,
    multitask_strategy: strategy,
    cancel_reason: look.reason,
    error: look.error,
    created_at: run.created_at,
    updated_at: run.updated_at,
  };
}

/**
 * Puts the outcome of a run into the outbox, in the unit of work in which it ends; each status is told once. One that
 * waits for a person is told as interrupted, and told again when it has ended otherwise.
 */
export type Tell = (t: Tx, run: ProtocolRun) => Promise<void>;

export const createTeller =
  (webhooks: Pick<Webhooks, 'put'>): Tell =>
  async (t, run) => {
    const url = run.request.webhook;
    if (typeof url !== 'string' || run.status === null) return;
    const thread = await t.protocol.thread(run.thread_id);
    if (!thread) return;
    const { status, reason, error } = run;
    const body = {
      ...viewOf(run, { status, reason, error }),
      run_started_at: run.created_at,
      run_ended_at: t.at,
      webhook_sent_at: t.at,
      values: await createStates(t).values(thread, run.to_checkpoint),
    };
    await webhooks.put(t, { key: `run:${run.run_id}:${status}`, url, body: JSON.stringify(body) });
  };
