// Which tasks this run has started and not seen the end of, as far as its tool results say.
// Only a hint: what is true is asked from main before a run ends.
import type { Message } from '../domain/message.ts';
import { INTERRUPTED } from '../domain/thread.ts';

const TASK_ID = /^task_id: ([0-9a-f-]{36})$/m;

export type OpenTasks = {
  started(content: string): void;
  ended(task_ids: readonly string[]): void;
  any(): boolean;
};

/** `history`: a thread to go on from; its started tasks count as open until main says otherwise. */
export function createOpenTasks(history: readonly Message[]): OpenTasks {
  const open = new Set<string>();
  // A start whose answer was lost in a crash may have made a task that no result names.
  let unnamed = false;
  const started = (content: string): void => {
    const id = TASK_ID.exec(content)?.[1];
    if (id) open.add(id);
  };
  for (const m of history) {
    if (m.role !== 'tool' || !/^(start|update)_async_task$/.test(m.tool_name)) continue;
    if (!m.is_error) started(m.content);
    else unnamed ||= m.content.startsWith(INTERRUPTED);
  }
  return {
    started,
    ended(task_ids) {
      for (const id of task_ids) open.delete(id);
    },
    any: () => unnamed || open.size > 0,
  };
}
