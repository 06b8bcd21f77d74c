// Which tasks this run has started and not seen the end of, as far as its tool results say.
// Only a hint: what is true is asked from main before a run ends.
import { isSummary } from '../domain/compaction.ts';
import type { Message } from '../domain/message.ts';
import { INTERRUPTED } from '../domain/thread.ts';

const TASK_ID = /^task_id: ([0-9a-f-]{36})$/m;
const DELEGATES = /^(start|update)_async_task$/;

export type OpenTasks = {
  started(content: string): void;
  ended(task_ids: readonly string[]): void;
  any(): boolean;
};

/** Ids of tasks that the messages name as started, and of those that were open when older turns were summarised. */
export const startedIn = (messages: readonly Message[]): string[] => [
  ...new Set(
    messages.flatMap((m) => {
      if (isSummary(m)) return m.summary.open_tasks;
      if (m.role !== 'tool' || m.is_error || !DELEGATES.test(m.tool_name)) return [];
      return TASK_ID.exec(m.content)?.[1] ?? [];
    }),
  ),
];

/** `history`: a thread to go on from; its started tasks count as open until main says otherwise. */
export function createOpenTasks(history: readonly Message[]): OpenTasks {
  const open = new Set(startedIn(history));
  // A start whose answer was lost in a crash may have made a task that no result names.
  const unnamed = history.some(
    (m) =>
      m.role === 'tool' &&
      m.is_error &&
      DELEGATES.test(m.tool_name) &&
      m.content.startsWith(INTERRUPTED),
  );
  return {
    started(content) {
      const id = TASK_ID.exec(content)?.[1];
      if (id) open.add(id);
    },
    ended(task_ids) {
      for (const id of task_ids) open.delete(id);
    },
    any: () => unnamed || open.size > 0,
  };
}
