// A task as an agent is told of it: full ids, status, and the text it needs. Pure.
import type { TaskBrief } from '../domain/run.ts';
import type { Waiting } from '../domain/subagent.ts';
import type { Task } from '../domain/task.ts';

export const brief = (task: Task, waiting: Waiting): TaskBrief => ({
  task_id: task.task_id,
  subagent_type: task.subagent_type,
  status: task.status,
  waiting,
  description: task.description,
  result: task.result,
  unverified: task.unverified,
  schema_valid: task.schema_valid,
  error: task.error ? task.error.reasons.join('; ') || task.error.message : null,
  partial_output: task.partial_output,
  created_at: task.created_at,
  updated_at: task.updated_at,
});

/** Ids as people and models type them: blanks, quotes and upper case do not matter. */
export const cleanId = (text: string): string =>
  text
    .trim()
    .replace(/^["'`]+|["'`]+$/g, '')
    .trim()
    .toLowerCase();
