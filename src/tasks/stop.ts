// Stops a task with everything under it: no new spawn, queued ones leave the queue, running ones are really
// aborted, and only then is `cancelled` written, deepest first. One failing stop never keeps another alive.
import { AppError } from '../domain/errors.ts';
import type { Log, Store, Supervisor, Tx } from '../domain/ports.ts';
import { isOpen, type Subagent } from '../domain/subagent.ts';
import { isOpenTask, type Task } from '../domain/task.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Insist } from './insist.ts';
import { conclude } from './lifecycle.ts';
import type { Live, LiveRun } from './live.ts';
import type { Stopping } from './stopping.ts';

/** Units of this many rows: the end of a large tree does not hold the loop for long. */
const BATCH = 200;

export type StopDeps = {
  store: Store;
  live: Live;
  dispatcher: Dispatcher;
  supervisor: Supervisor;
  stopping: Stopping;
  insist: Insist;
  log: Log;
  ended(run: { agent_id: string; task_id: string; query_id: string }): void;
};

export function createStop(deps: StopDeps) {
  const { store, live, dispatcher, supervisor, stopping, insist, log } = deps;

  /** Aborts one run; when it resolves no tool call or model call of it is at work. */
  async function abort(run: LiveRun, reason: string): Promise<void> {
    run.stopping ??= reason;
    run.abort.abort();
    if (run.server)
      await run.server.client.cancel(run.run_id, reason).catch(async (error: unknown) => {
        log.warn(
          { err: error, run_id: run.run_id, role: run.role },
          'run did not stop; killing its server',
        );
        if (run.server) await supervisor.kill(run.server, 'did not stop a cancelled run in time');
      });
  }

  /** Stops the current attempt of a task without writing an outcome; answers the attempt. */
  async function halt(task_id: string, reason: string): Promise<Subagent | null> {
    const attempt = (await store.reads.subagents.ofTask(task_id)).at(-1);
    if (!attempt || !isOpen(attempt.state)) return attempt ?? null;
    dispatcher.withdraw(attempt.agent_id);
    const run = live.get(attempt.agent_id);
    if (run) {
      await abort(run, reason);
      dispatcher.settle(run);
    }
    return attempt;
  }

  async function openFamily(root: Task): Promise<Task[]> {
    const all = await store.reads.tasks.ofQuery(root.query_id);
    const family = new Map([[root.task_id, root]]);
    // Oldest first: a parent always comes before its children.
    for (const task of all)
      if (task.parent_task_id && family.has(task.parent_task_id)) family.set(task.task_id, task);
    return [...family.values()].filter((task) => isOpenTask(task.status));
  }

  async function stopAll(tasks: Task[], reasonOf: (task: Task) => string): Promise<void> {
    for (const task of tasks) stopping.add(task.task_id);
    try {
      const words = new Map<string, string>();
      await Promise.all(
        tasks.map(async (task) => {
          const attempt = (await store.reads.subagents.ofTask(task.task_id)).at(-1);
          const run = attempt && live.get(attempt.agent_id);
          await halt(task.task_id, reasonOf(task));
          if (run?.last_words) words.set(task.task_id, run.last_words.text);
        }),
      );
      const deepest = [...tasks].sort((a, b) => b.depth - a.depth);
      const refused: unknown[] = [];
      for (let i = 0; i < deepest.length; i += BATCH)
        await writeEnds(deepest.slice(i, i + BATCH), reasonOf, words).catch((error: unknown) =>
          refused.push(error),
        );
      // Everything has been stopped and is written as soon as it can be; the caller hears that it is not yet.
      if (refused.length > 0) throw refused[0];
    } finally {
      for (const task of tasks) stopping.delete(task.task_id);
    }
  }

  function writeEnds(
    tasks: Task[],
    reasonOf: (task: Task) => string,
    words: ReadonlyMap<string, string>,
  ): Promise<Subagent[]> {
    const write = async (t: Tx): Promise<Subagent[]> => {
      const done: Subagent[] = [];
      for (const task of tasks) {
        const attempt = (await t.subagents.ofTask(task.task_id)).at(-1);
        if (!attempt) continue;
        const reason = reasonOf(task);
        const error = { code: 'cancelled' as const, message: reason, reasons: [reason] };
        const text = words.get(task.task_id) || null;
        const outcome = { text, error, detail: reason };
        const how = await conclude(t, attempt.agent_id, 'cancelled', outcome);
        if (how !== 'late') done.push(attempt);
      }
      return done;
    };
    return insist(write, (written) => written.forEach(deps.ended));
  }

  return {
    halt,
    /**
     * Cancels a task and all its descendants. AppError conflict with the true status when it has already ended.
     */
    async cancelTask(task: Task, reason: string): Promise<void> {
      if (!isOpenTask(task.status)) throw alreadyEnded(task);
      await stopAll(await openFamily(task), (member) =>
        member.task_id === task.task_id ? reason : `parent cancelled: ${reason}`,
      );
    },
    /** Cancels what is still open under a task or query that has ended. `spare`: tasks that go on, with theirs. */
    async cancelUnder(
      query_id: string,
      parent_task_id: string | null,
      reason: string,
      spare: (task: Task) => boolean = () => false,
    ): Promise<number> {
      // Most tasks have nobody under them: that is seen without reading the whole tree.
      const none = parent_task_id && (await store.reads.tasks.children(query_id, parent_task_id));
      if (none && none.length === 0) return 0;
      const all = await store.reads.tasks.ofQuery(query_id);
      const under = new Set<string>();
      const open: Task[] = [];
      for (const task of all) {
        const inside = task.parent_task_id === parent_task_id;
        if (!inside && !(task.parent_task_id && under.has(task.parent_task_id))) continue;
        if (spare(task)) continue;
        under.add(task.task_id);
        if (isOpenTask(task.status)) open.push(task);
      }
      if (open.length > 0) await stopAll(open, () => reason);
      return open.length;
    },
  };
}
export type Stop = ReturnType<typeof createStop>;

export const alreadyEnded = (task: Task): AppError =>
  new AppError('conflict', `task ${task.task_id} is already ${task.status}; nothing was changed`, {
    data: { status: task.status },
  });
