// A query as a tree: its tasks under their parents, each with its attempts, tokens of its own and below. Pure.
import { addUsage, noUsage, type Usage } from '../domain/message.ts';
import type { LoopRun, Query } from '../domain/query.ts';
import { fuller, NANO, type NodeSpend, spentOf } from '../domain/spend.ts';
import { agentLabel, type Subagent } from '../domain/subagent.ts';
import type { Task } from '../domain/task.ts';

/** What the node itself has spent. `share`: of the tokens of the whole tree, 0 to 1. */
export type Share = {
  tokens: number;
  cost_usd: number | null;
  /** Part of `tokens` that no provider has reported. */
  estimated_tokens: number;
  share: number;
};

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
  /** Model steps of its own, and with those of everything below. */
  iterations: number;
  subtree_iterations: number;
  spend: Share;
  created_at: string;
  updated_at: string;
  attempts: Subagent[];
  children: TreeNode[];
};

export type TreeFacts = {
  query: Query;
  /** Of the main agent's own calls. */
  own: Usage;
  tasks: readonly Task[];
  agents: readonly Subagent[];
  spend: readonly NodeSpend[];
  waitingOf(agent_id: string): string | null;
};

export function treeOf({ query, own, tasks, agents, spend, waitingOf }: TreeFacts): TreeNode {
  const spentAt = new Map(spend.map((node) => [node.node_id, node]));
  const total = spend.reduce((sum, node) => sum + spentOf(node).tokens, 0);
  /** Live: a run that is still at work has told nothing yet. */
  const usageAt = (id: string, told: Usage): Usage =>
    fuller(told, spentAt.get(id)?.usage ?? noUsage());
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
      usage: usageAt(task.task_id, task.usage),
      subtree_usage: task.usage,
      iterations: task.iterations,
      subtree_iterations: task.iterations,
      spend: shareOf(spentAt.get(task.task_id), total),
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
    usage: usageAt(query.query_id, own),
    subtree_usage: own,
    iterations: query.iterations - tasks.reduce((sum, task) => sum + task.iterations, 0),
    subtree_iterations: query.iterations,
    spend: shareOf(spentAt.get(query.query_id), total),
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
  let below = 0;
  node.subtree_usage = node.children.reduce((sum, c) => addUsage(sum, sumUp(c)), node.usage);
  for (const child of node.children) below += child.subtree_iterations;
  node.subtree_iterations = node.iterations + below;
  return node.subtree_usage;
}

function shareOf(node: NodeSpend | undefined, total: number): Share {
  if (!node) return { tokens: 0, cost_usd: null, estimated_tokens: 0, share: 0 };
  const { tokens, nano_usd } = spentOf(node);
  const priced = node.usage.cost_usd !== null || node.estimated.nano_usd > 0;
  return {
    tokens,
    cost_usd: priced ? nano_usd / NANO : null,
    estimated_tokens: node.estimated.tokens,
    share: total === 0 ? 0 : Math.round((tokens / total) * 1e4) / 1e4,
  };
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
