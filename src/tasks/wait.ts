// Waiting for tasks: `check` with a limit, and the join that holds a final answer until the open tasks have ended.
// A subagent that waits lends its slot; it has it back before it is answered.
import { joinSignals } from '../domain/join-signals.ts';
import type { Store } from '../domain/ports.ts';
import { isAside, isOpenTask, type Task } from '../domain/task.ts';
import type { Bell } from './bell.ts';
import type { Dispatcher } from './dispatcher.ts';

/** Completions that arrive within this time are told together. */
const TOGETHER_MS = 200;
/** One HTTP request never stays silent for longer: the caller asks again. */
export const WAIT_LIMIT_MS = 25_000;

/** The join of a run waits in several requests: one name for all of them. */
const JOIN = 'join';

export type WaitDeps = { store: Store; bell: Bell; dispatcher: Dispatcher };
/** Who waits: an agent that holds a slot, or null (the main agent, a caller of the API). */
export type WaiterOf = { query_id: string; task_id: string | null; agent_id: string | null };

/** Children that have ended, and those still at work. */
type Outcomes = { ended: Task[]; open: Task[] };

/** Rung at every end of a child of this parent. */
export const childrenKey = (query_id: string, parent_task_id: string | null): string =>
  `children:${query_id}:${parent_task_id ?? 'main'}`;

/** The signal of `work` ends with it as well, so that nobody goes on waiting for one who has left. */
async function whileHere<T>(
  signal: AbortSignal,
  work: (here: AbortSignal) => Promise<T>,
): Promise<T> {
  const left = new AbortController();
  try {
    return await work(joinSignals([signal, left.signal]).signal);
  } finally {
    left.abort();
  }
}

export function createWait({ store, bell, dispatcher }: WaitDeps) {
  const { tasks } = store.reads;

  const untilEnded = (task_id: string, ms: number, signal: AbortSignal): Promise<void> =>
    whileHere(signal, async (here) => {
      const deadline = performance.now() + ms;
      for (;;) {
        const left = deadline - performance.now();
        if (left <= 0 || here.aborted) return;
        // Registered before the row is read, so that an end in between is not missed.
        const rung = bell.wait(task_id, left, here);
        const task = await tasks.get(task_id);
        if (!task || !isOpenTask(task.status)) return;
        await rung;
      }
    });

  /** Children whose outcome the parent has not been given, and those still at work. */
  async function look(of: WaiterOf): Promise<Outcomes> {
    const children = await tasks.children(of.query_id, of.task_id);
    const open = children.filter((c) => isOpenTask(c.status) && !isAside(c));
    const ended = children
      .filter((c) => !isOpenTask(c.status) && c.delivered_at === null)
      .sort((a, b) => a.updated_at.localeCompare(b.updated_at));
    return { ended, open };
  }

  return {
    untilEnded,
    look,
    /** Lends the slot of an agent while `waiting` runs; it holds it again when this resolves. */
    async lending<T>(agent_id: string | null, waiting: () => Promise<T>): Promise<T> {
      if (agent_id === null) return waiting();
      const who = Symbol('check');
      dispatcher.lend(agent_id, 'child', who);
      try {
        return await waiting();
      } finally {
        await dispatcher.retake(agent_id, who);
      }
    },
    /**
     * Waits at most `ms` for an outcome that the parent has not been given. With none at the limit the slot stays
     * lent: the caller comes back with the same question.
     */
    join: (of: WaiterOf, ms: number, signal: AbortSignal): Promise<Outcomes> =>
      whileHere(signal, async (here) => {
        const deadline = performance.now() + Math.min(ms, WAIT_LIMIT_MS);
        const key = childrenKey(of.query_id, of.task_id);
        for (;;) {
          const rung = bell.wait(key, Math.max(0, deadline - performance.now()), here);
          let found = await look(of);
          const over = performance.now() >= deadline || here.aborted;
          if (found.ended.length > 0 || found.open.length === 0) {
            if (found.ended.length > 0 && found.open.length > 0) {
              await bell.wait(key, TOGETHER_MS, here);
              found = await look(of);
            }
            if (of.agent_id) await dispatcher.retake(of.agent_id, JOIN);
            return found;
          }
          if (over) return found;
          if (of.agent_id) dispatcher.lend(of.agent_id, 'child', JOIN);
          await rung;
        }
      }),
  };
}
export type Wait = ReturnType<typeof createWait>;
