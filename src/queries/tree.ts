// A query as a tree: its tasks under their parents, each with its attempts, tokens of its own and below. Pure.
import { addUsage, noUsage, type Usage } from '../domain/message.ts';
import type { LoopRun, Query } from '../domain/query.ts';
import { agentLabel, type Subagent } from '../domain/subagent.ts';
import type { Task } from '../domain/task.ts';

export type TreeNode = {
  id: string;
  kind: 'query' | 'task';
  label: string;
  role: string;
  status: string;
  waiting: string | null;
  description: string;
  depth: number;
  usage: Usage;
  /** Own usage and that of everything below. */
  subtree_usage: Usage;
  created_at: string;
  updated_at: string;
  attempts: Subagent[];
  children: TreeNode[];
};

export function treeOf(
  query: Query,
  own: Usage,
  tasks: readonly Task[],
  agents: readonly Subagent[],
  waitingOf: (agent_id: string) => string | null,
): TreeNode {
  const nodes = new Map<string, TreeNode>();
  const attemptsAt = new Map<string, Subagent[]>(tasks.map((task) => [task.task_id, []]));
  for (const agent of agents) attemptsAt.get(agent.task_id)?.push(agent);
  for (const task of tasks) {
    const attempts = attemptsAt.get(task.task_id) ?? [];
    const last = attempts.at(-1);
    nodes.set(task.task_id, {
      id: task.task_id,
      kind: 'task',
      label: agentLabel(last?.role ?? task.subagent_type, last?.ordinal ?? 1),
      role: last?.role ?? task.subagent_type,
      status: task.status,
      waiting: last ? waitingOf(last.agent_id) : null,
      description: task.description,
      depth: task.depth,
      usage: task.usage,
      subtree_usage: task.usage,
      created_at: task.created_at,
      updated_at: task.updated_at,
      attempts,
      children: [],
    });
  }
  const root: TreeNode = {
    id: query.query_id,
    kind: 'query',
    label: query.kind === 'direct' ? 'direct' : 'main agent',
    role: 'main',
    status: query.status,
    waiting: query.status === 'waiting' ? 'human' : null,
    description: query.input,
    depth: 0,
    usage: own,
    subtree_usage: own,
    created_at: query.created_at,
    updated_at: query.updated_at,
    attempts: [],
    children: [],
  };
  for (const task of tasks) {
    const node = nodes.get(task.task_id);
    const parent = (task.parent_task_id && nodes.get(task.parent_task_id)) || root;
    if (node) parent.children.push(node);
  }
  sumUp(root);
  return root;
}

function sumUp(node: TreeNode): Usage {
  node.subtree_usage = node.children.reduce((sum, c) => addUsage(sum, sumUp(c)), node.usage);
  return node.subtree_usage;
}

/** What the main agent's own calls have used, over all turns. */
export const usageOfTurns = (loops: readonly LoopRun[]): Usage =>
  loops.reduce(
    (sum, { metadata }) => addUsage(sum, (metadata.usage as Usage | undefined) ?? noUsage()),
    noUsage(),
  );

/** Usage of a whole query: the main agent's own calls and those of every task. */
export const totalUsage = (own: Usage, tasks: readonly Task[]): Usage =>
  tasks.reduce((sum, task) => addUsage(sum, task.usage), own ?? noUsage());
