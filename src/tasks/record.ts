// Writes what an agent does to its thread: steps, starts and receipts of tool calls, each with its events.
// The same for subagents and for the main agent.
import { isSummary } from '../domain/compaction.ts';
import type { PolicyNote } from '../domain/policy.ts';
import type { Store, Tx } from '../domain/ports.ts';
import type { StepDelta, ToolReceipt, ToolStart } from '../domain/run.ts';
import { isOpenTask } from '../domain/task.ts';
import { notePolicy } from './policy-log.ts';

/** Whose work it is: the ids of its events, its thread and its run. */
export type Recorded = {
  ids: { query_id: string; task_id: string | null; agent_id: string | null; role: string };
  thread_id: string;
  run_id: string;
};

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 300);

/** Idempotent by (run_id, step): a repetition of a call that had arrived changes nothing. */
export async function writeStep(
  t: Tx,
  { ids, thread_id, run_id }: Recorded,
  { step, messages, delivered }: StepDelta,
  receipts: ToolReceipt[],
): Promise<void> {
  if (!(await t.checkpoints.append({ thread_id, run_id, step, messages }))) return;
  for (const { summary } of messages.filter(isSummary)) {
    const { before_tokens, after_tokens, by, why, count, open_tasks } = summary;
    await t.events.append({
      kind: 'notice',
      state: 'compacted',
      detail: `older turns were summarised: about ${before_tokens} → ${after_tokens} tokens`,
      ...ids,
      data: { before_tokens, after_tokens, by, why, count, open_tasks },
    });
  }
  for (const id of delivered) await markDelivered(t, ids, id);
  for (const { id, name, ok, summary, duration_ms, exit_code } of receipts) {
    await t.checkpoints.endCall(run_id, { id, name, ok, summary, duration_ms, exit_code });
    await t.events.append({
      kind: 'tool',
      state: ok ? 'finished' : 'failed',
      detail: `${name}: ${summary}`,
      ...ids,
      data: { call_id: id, name, ok, duration_ms, exit_code },
    });
  }
}

/**
 * Only an outcome of a task that it started itself is delivered to it: one that was looked at from further above is
 * still news to its parent, and so is the next outcome of a task that has begun anew meanwhile.
 */
async function markDelivered(t: Tx, ids: Recorded['ids'], id: string): Promise<void> {
  const task = await t.tasks.get(id);
  if (task?.query_id !== ids.query_id || task.parent_task_id !== ids.task_id) return;
  if (!isOpenTask(task.status)) await t.tasks.patch(id, { delivered_at: t.at });
}

/** `step`, `toolStarted` and `policy` of a RunHost. `of` is asked at each call: a run may get a new run_id. */
export function createRecorder(store: Store, of: () => Recorded) {
  return {
    policy: (note: PolicyNote): Promise<void> => store.tx((t) => notePolicy(t, of().ids, note)),
    step: (delta: StepDelta, receipts: ToolReceipt[]): Promise<void> =>
      store.tx((t) => writeStep(t, of(), delta, receipts)),
    toolStarted: ({ step, calls }: ToolStart): Promise<void> =>
      store.tx(async (t) => {
        const recorded = of();
        if (step) await writeStep(t, recorded, step, []);
        for (const call of calls) {
          const args = oneLine(call.arguments);
          await t.checkpoints.startCall(recorded.run_id, call);
          if (recorded.ids.task_id)
            await t.tasks.appendOutput(recorded.ids.task_id, `[tool] ${call.name} ${args}\n`);
          await t.events.append({
            kind: 'tool',
            state: 'started',
            detail: call.name,
            ...recorded.ids,
            data: { call_id: call.id, name: call.name, arguments: args },
          });
        }
      }),
  };
}
