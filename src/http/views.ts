// From rows to the JSON of the API: what is shown, under which name, and what never is.
import type { Query } from '../domain/query.ts';
import type { Review } from '../domain/review.ts';
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

/** Ids of the pending reviews that a query, or a task of it, waits for. */
export type WaitingFor = (of: { query_id: string; task_id?: string }) => string[];

export const taskView = (task: Task, attempts: readonly Subagent[], waitingFor: WaitingFor) => ({
  task_id: task.task_id,
  run_id: task.run_id,
  query_id: task.query_id,
  parent_task_id: task.parent_task_id,
  subagent_type: task.subagent_type,
  description: task.description,
  status: task.status,
  waiting: task.waiting,
  waiting_for: waitingFor({ query_id: task.query_id, task_id: task.task_id }),
  depth: task.depth,
  attempts: attempts.map(attemptView),
  result: task.result,
  unverified: task.unverified,
  output_schema: task.output_schema,
  schema_valid: task.schema_valid,
  structured: task.structured,
  error: task.error,
  partial_output: task.partial_output,
  usage: task.usage,
  iterations: task.iterations,
  resume_estimate: task.resume_estimate,
  created_at: task.created_at,
  updated_at: task.updated_at,
});
export type TaskView = ReturnType<typeof taskView>;

export const queryView = (query: Query, waitingFor: WaitingFor) => ({
  query_id: query.query_id,
  kind: query.kind,
  input: query.input,
  status: query.status,
  waiting_for: waitingFor({ query_id: query.query_id }),
  answer: query.answer,
  branched: query.branched,
  workdir: query.workdir,
  options: query.options,
  usage: query.usage,
  iterations: query.iterations,
  error: query.error,
  created_at: query.created_at,
  updated_at: query.updated_at,
});

/** Without the tool call that asked: nobody outside needs it. `allowed`: what may be decided, while it is pending. */
export function reviewView(review: Review, allowed: (review: Review) => string) {
  const { run_id, call_id, ...shown } = review;
  return { ...shown, allowed: review.status === 'pending' ? allowed(review) : null };
}
export type ReviewView = ReturnType<typeof reviewView>;

/** Header values of a remote role are secrets. */
export const roleView = (role: Role) => ({
  ...role,
  headers: Object.fromEntries(Object.keys(role.headers).map((name) => [name, '***'])),
});
