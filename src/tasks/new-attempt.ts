// A new attempt at a task: the first, a follow-up on its thread, a retry, an alternate. Rows and event in one unit.
import { newAgentId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import type { Tx } from '../domain/ports.ts';
import type { RunKind, Task } from '../domain/task.ts';

export type AttemptAsk = {
  agent_id: string;
  task: Task;
  role: string;
  parent_id: string;
  kind: RunKind;
  attempts_used: number;
  input: string;
  /** What the run adds to the thread, when that is not the input alone. */
  messages?: Message[] | undefined;
  /** The run stands in the table already: it has waited for the attempt before. */
  waited?: boolean;
};

/** A new attempt at a task: subagent row, run, its input on the thread, and the `created` event. */
export async function insertAttempt(t: Tx, ask: AttemptAsk): Promise<void> {
  const { agent_id, task, role } = ask;
  const ordinal = await t.subagents.nextOrdinal(task.query_id, role);
  const summary = task.description.split('\n', 1)[0]?.slice(0, 200) ?? '';
  await t.subagents.insert({
    agent_id,
    role,
    ordinal,
    task_summary: summary,
    parent_id: ask.parent_id,
    state: 'created',
    waiting: 'slot',
    task_id: task.task_id,
    run_id: task.run_id,
    query_id: task.query_id,
    depth: task.depth,
    endpoint: null,
    pid: null,
    port: null,
    model: null,
    error: null,
    server_nonce: null,
    attempts_used: ask.attempts_used,
    metadata: { kind: ask.kind },
    created_at: t.at,
    updated_at: t.at,
  });
  const input = ask.messages ?? [{ role: 'user' as const, content: ask.input }];
  const { run_id, task_id } = task;
  if (ask.waited) await t.runs.adopt(run_id, agent_id);
  else await t.runs.insert({ run_id, task_id, agent_id, kind: ask.kind, input, created_at: t.at });
  // Step -1 is the run's input: whatever happens to the run, the thread holds it.
  await t.checkpoints.append({
    thread_id: task.task_id,
    run_id: task.run_id,
    step: -1,
    messages: input,
  });
  await t.events.append({
    kind: 'subagent',
    state: 'created',
    detail: summary,
    query_id: task.query_id,
    task_id: task.task_id,
    agent_id,
    role,
    data: {
      ordinal,
      depth: task.depth,
      parent_id: ask.parent_id,
      run_id: task.run_id,
      kind: ask.kind,
    },
  });
}

/**
 * Opens the attempt of the oldest run that waits for its turn on the task's thread, in the unit that closed the
 * attempt before: no reader sees an end in between. False when none waits.
 */
export async function openWaitingRun(t: Tx, task_id: string): Promise<boolean> {
  const run = (await t.runs.ofTask(task_id)).find((r) => r.agent_id === '');
  if (!run) return false;
  const task = await t.tasks.get(task_id);
  const last = (await t.subagents.ofTask(task_id)).at(-1);
  if (!task || !last) return false;
  const patch: Partial<Task> = {
    run_id: run.run_id,
    status: 'created',
    waiting: 'slot',
    delivered_at: null,
    updated_at: t.at,
  };
  await t.tasks.patch(task_id, patch);
  await insertAttempt(t, {
    agent_id: newAgentId(),
    task: { ...task, ...patch },
    role: task.subagent_type,
    parent_id: last.parent_id,
    kind: run.kind,
    attempts_used: 0,
    input: run.input.map((m) => m.content).join('\n\n'),
    waited: true,
  });
  return true;
}

/** A cancelled task carries out nothing that still waited on its thread. */
export async function dropWaitingRuns(t: Tx, task_id: string, agent_id: string): Promise<void> {
  for (const run of await t.runs.ofTask(task_id))
    if (run.agent_id === '') await t.runs.adopt(run.run_id, agent_id);
}
