// From rows to the JSON of the API: what is shown, under which name, and what never is.
import type { Query } from '../domain/query.ts';
import type { Role } from '../domain/role.ts';
import { isOpen, type Subagent } from '../domain/subagent.ts';
import type { Task } from '../domain/task.ts';

const attemptView = (agent: Subagent) => ({
  agent_id: agent.agent_id,
  role: agent.role,
  ordinal: agent.ordinal,
  run_id: agent.run_id,
  status: agent.state,
  started_at: agent.created_at,
  ended_at: isOpen(agent.state) ? null : agent.updated_at,
  error: agent.error,
});

export const taskView = (task: Task, attempts: readonly Subagent[]) => ({
  task_id: task.task_id,
  run_id: task.run_id,
  query_id: task.query_id,
  parent_task_id: task.parent_task_id,
  subagent_type: task.subagent_type,
  description: task.description,
  status: task.status,
  waiting: task.waiting,
  depth: task.depth,
  attempts: attempts.map(attemptView),
  result: task.result,
  unverified: task.unverified,
  error: task.error,
  partial_output: task.partial_output,
  usage: task.usage,
  created_at: task.created_at,
  updated_at: task.updated_at,
});
export type TaskView = ReturnType<typeof taskView>;

export const queryView = (query: Query) => ({
  query_id: query.query_id,
  kind: query.kind,
  input: query.input,
  status: query.status,
  answer: query.answer,
  branched: query.branched,
  workdir: query.workdir,
  options: query.options,
  usage: query.usage,
  error: query.error,
  created_at: query.created_at,
  updated_at: query.updated_at,
});

/** Header values of a remote role are secrets. */
export const roleView = (role: Role) => ({
  ...role,
  headers: Object.fromEntries(Object.keys(role.headers).map((name) => [name, '***'])),
});
