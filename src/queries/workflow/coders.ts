// What the coders of a query have done, have in hand, and have failed at, from the rows of their tasks.
import { isOpenTask, type Task } from '../../domain/task.ts';
import { type Dispatch, readDispatch, undoneIn } from '../../workflows/dispatch.ts';

const CODER = 'SubCoding';
export type Coded = { task: Task; dispatch: Dispatch };

/** Those that the main agent has started, oldest first. */
export const codersOf = (tasks: readonly Task[]): Coded[] =>
  tasks
    .filter((t) => t.subagent_type === CODER && t.parent_task_id === null)
    .map((task) => ({ task, dispatch: readDispatch(task.description) }));

const isFor = ({ dispatch }: Coded, name: string): boolean =>
  dispatch.change === name || dispatch.feature === name;

/** Boxes in the hands of coders that are at work. */
export const takenOf = (coders: readonly Coded[], name: string): Set<string> =>
  new Set(
    coders
      .filter((c) => isFor(c, name) && isOpenTask(c.task.status))
      .flatMap((c) => c.dispatch.tasks),
  );

/** Boxes whose run has ended well and does not itself call them undone. */
export function doneOf(coders: readonly Coded[], name: string): Set<string> {
  const done = new Set<string>();
  for (const { task, dispatch } of coders.filter((c) => isFor(c, name))) {
    if (task.status !== 'completed') continue;
    const undone = undoneIn(task.result ?? '', dispatch.tasks);
    for (const number of dispatch.tasks) if (!undone.has(number)) done.add(number);
  }
  return done;
}

export const hasFailed = ({ status }: Task): boolean =>
  status === 'failed' || status === 'cancelled';
export const reasonOf = (task: Task): string => task.error?.message ?? task.status;

/** The boxes that failed last and are not done since, with the number of failures in a row; null: none. */
export function failedCoders(
  coders: readonly Coded[],
  since: string,
): { reason: string; times: number } | null {
  const rows = new Map<string, { reason: string; times: number }>();
  for (const { task, dispatch } of coders) {
    const key = [...dispatch.tasks].sort().join();
    if (task.status === 'completed') rows.delete(key);
    else if (hasFailed(task) && task.updated_at >= since)
      rows.set(key, { reason: reasonOf(task), times: (rows.get(key)?.times ?? 0) + 1 });
  }
  return [...rows.values()].sort((a, b) => b.times - a.times)[0] ?? null;
}
