// What may happen to a task after its first start: a message to the running agent, an update that interrupts it,
// a follow-up on a finished thread, a retry. Each is one unit of work: no reader sees a false end.
import { frameData } from '../domain/data-frame.ts';
import { AppError } from '../domain/errors.ts';
import { newAgentId, uuidv7 } from '../domain/ids.ts';
import type { Store, Tx } from '../domain/ports.ts';
import { isOpen, type Subagent } from '../domain/subagent.ts';
import { isOpenTask, type Task } from '../domain/task.ts';
import { headOf } from '../domain/text.ts';
import { withdrawOfAgent } from '../reviews/rows.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Insist } from './insist.ts';
import { createLanes } from './lanes.ts';
import { move } from './lifecycle.ts';
import type { Live } from './live.ts';
import { insertAttempt } from './new-attempt.ts';
import { alreadyEnded, type Stop } from './stop.ts';
import type { Stopping } from './stopping.ts';

export type FollowDeps = {
  store: Store;
  live: Live;
  dispatcher: Dispatcher;
  stop: Stop;
  stopping: Stopping;
  insist: Insist;
  limits: { description_limit: number };
};
type Call = { run_id: string; call_id: string } | null;

export function createFollow(deps: FollowDeps) {
  const { store, live, dispatcher, stop, stopping, insist, limits } = deps;
  // Two messages at once are one after the other: each finds the task as the one before has left it.
  const inLane = createLanes();

  function checkText(text: string): void {
    if (text.trim() === '')
      throw new AppError('bad_request', 'the message is empty; say what is new');
    const bytes = Buffer.byteLength(text);
    if (bytes > limits.description_limit)
      throw new AppError(
        'bad_request',
        `the message has ${bytes} bytes; at most ${limits.description_limit} are allowed`,
      );
  }

  /** Nothing begins anew under a task or a query that is being cancelled. */
  async function refuseUnderCancel(task: Task): Promise<void> {
    for (let up: Task | null = task; up; ) {
      if (stopping.has(up.task_id) || stopping.has(up.query_id))
        throw new AppError(
          'conflict',
          `task ${task.task_id} is being cancelled; nothing was changed`,
          {
            data: { status: task.status },
          },
        );
      up = up.parent_task_id ? await store.reads.tasks.get(up.parent_task_id) : null;
    }
  }

  const enqueue = (agent: Subagent, returning: boolean): void =>
    dispatcher.enqueue({
      agent_id: agent.agent_id,
      role: agent.role,
      query_id: agent.query_id,
      ancestors: [agent.parent_id],
      returning,
    });

  /** A new attempt on the thread of a task that has ended. */
  async function again(
    task: Task,
    kind: 'update' | 'retry',
    text: string,
    call: Call,
  ): Promise<Task> {
    const agent_id = newAgentId();
    const run_id = uuidv7();
    const made = await store.tx(async (t) => {
      if (call && (await t.tasks.byCall(call.run_id, call.call_id))) return null;
      const row = await t.tasks.get(task.task_id);
      const last = (await t.subagents.ofTask(task.task_id)).at(-1);
      if (!row || !last || isOpenTask(row.status) || stopping.has(task.task_id))
        throw new AppError(
          'conflict',
          `task ${task.task_id} is ${row?.status ?? 'gone'}; try again`,
        );
      const patch: Partial<Task> = {
        run_id,
        status: 'created',
        waiting: 'slot',
        result: null,
        error: null,
        schema_valid: null,
        structured: null,
        delivered_at: null,
        updated_at: t.at,
      };
      await t.tasks.patch(task.task_id, patch);
      if (call) await t.tasks.noteCall(call.run_id, call.call_id, task.task_id);
      await insertAttempt(t, {
        agent_id,
        task: { ...row, ...patch },
        role: row.subagent_type,
        parent_id: last.parent_id,
        kind,
        attempts_used: 0,
        input: text,
      });
      await reopenDirect(t, row.query_id);
      return t.subagents.get(agent_id);
    });
    if (made) enqueue(made, false);
    return (await store.reads.tasks.get(task.task_id)) ?? task;
  }

  /** The running attempt stops for real and goes on with the new message: running → assigned. Null: it has ended. */
  async function interrupt(task: Task, text: string, call: Call): Promise<Task | null> {
    await stop.halt(task.task_id, 'interrupted by an update');
    const agent = await insist(
      async (t) => {
        const attempt = (await t.subagents.ofTask(task.task_id)).at(-1);
        if (!attempt || !isOpen(attempt.state) || stopping.has(task.task_id)) return null;
        const run_id = uuidv7();
        if (call) await t.tasks.noteCall(call.run_id, call.call_id, task.task_id);
        await nextRun(t, attempt, run_id, text);
        return { ...attempt, run_id };
      },
      (agent) => agent && enqueue(agent, true),
    );
    return agent && ((await store.reads.tasks.get(task.task_id)) ?? task);
  }

  const fresh = async (task: Task): Promise<Task> => {
    const now = (await store.reads.tasks.get(task.task_id)) ?? task;
    await refuseUnderCancel(now);
    return now;
  };

  return {
    /** A follow-up with the whole thread; the same task_id. Idempotent by the call. */
    async update(task: Task, text: string, call: Call): Promise<Task> {
      checkText(text);
      return inLane(task.task_id, async () => {
        const known = call ? await store.reads.tasks.byCall(call.run_id, call.call_id) : null;
        if (known) return known;
        const now = await fresh(task);
        if (!isOpenTask(now.status)) return again(now, 'update', text, call);
        const going = await interrupt(now, text, call);
        if (going) return going;
        const ended = await fresh(task);
        if (ended.status === 'cancelled') throw alreadyEnded(ended);
        return again(ended, 'update', text, call);
      });
    },
    /** Waits on the thread until the attempt at work has ended; a finished thread takes it at once. */
    async enqueue(task: Task, text: string): Promise<Task> {
      checkText(text);
      return inLane(task.task_id, async () => {
        await fresh(task);
        const run_id = uuidv7();
        const waits = await store.tx(async (t) => {
          const row = await t.tasks.get(task.task_id);
          if (!row || !isOpenTask(row.status)) return false;
          const input = [{ role: 'user' as const, content: text }];
          const run = {
            run_id,
            task_id: task.task_id,
            agent_id: '',
            kind: 'update' as const,
            input,
          };
          await t.runs.insert({ ...run, created_at: t.at });
          return true;
        });
        if (!waits) return again(task, 'update', text, null);
        return (await store.reads.tasks.get(task.task_id)) ?? task;
      });
    },
    retry: (given: Task): Promise<Task> =>
      inLane(given.task_id, async () => {
        const task = await fresh(given);
        if (isOpenTask(task.status))
          throw new AppError(
            'conflict',
            `task ${task.task_id} is still ${task.status}; cancel it first`,
            { data: { status: task.status } },
          );
        const why = task.error
          ? ` The attempt before ended so:\n${frameData(task.subagent_type, headOf(task.error.message, 4_000))}`
          : '';
        return again(task, 'retry', `Do the task again.${why}\n\n${task.description}`, null);
      }),
    /** To the running agent, before its next model step; `missed` when there is none to come. */
    async steer(task: Task, text: string): Promise<'delivered' | 'missed'> {
      checkText(text);
      const attempt = (await store.reads.subagents.ofTask(task.task_id)).at(-1);
      const run = attempt && live.get(attempt.agent_id);
      const answer =
        run?.server && !run.stopping
          ? await run.server.client.steer(run.run_id, text).catch(() => 'missed' as const)
          : 'missed';
      await store.tx((t) =>
        t.events.append({
          kind: 'notice',
          state: answer === 'delivered' ? 'steer_delivered' : 'steer_missed',
          detail: text.slice(0, 200),
          query_id: task.query_id,
          task_id: task.task_id,
          agent_id: attempt?.agent_id ?? null,
          role: attempt?.role ?? null,
        }),
      );
      return answer;
    },
  };
}
export type Follow = ReturnType<typeof createFollow>;

async function nextRun(t: Tx, attempt: Subagent, run_id: string, text: string): Promise<void> {
  const { agent_id, task_id } = attempt;
  await withdrawOfAgent(t, attempt, 'a message to the agent has taken its place');
  const input = [{ role: 'user' as const, content: text }];
  await t.runs.insert({ run_id, task_id, agent_id, kind: 'update', input, created_at: t.at });
  await t.checkpoints.append({ thread_id: task_id, run_id, step: -1, messages: input });
  if (attempt.state === 'running' || attempt.state === 'blocked')
    await move(t, attempt, 'assigned', {
      detail: `update: ${text.slice(0, 200)}`,
      agent: { run_id },
      task: { run_id },
    });
  else {
    await t.subagents.patch(agent_id, { run_id, updated_at: t.at });
    await t.tasks.patch(task_id, { run_id, updated_at: t.at });
  }
}

/** The implicit query of a direct task is open again while its task is. */
async function reopenDirect(t: Tx, query_id: string): Promise<void> {
  const query = await t.queries.get(query_id);
  if (query?.kind === 'direct' && query.status !== 'running')
    await t.queries.patch(query_id, { status: 'running', updated_at: t.at });
}
