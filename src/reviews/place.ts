// Where in the tree somebody asks, and what about: for a person who sees nothing but the question.
import type { Speaker } from '../domain/brain.ts';
import type { Tx } from '../domain/ports.ts';
import { agentLabel } from '../domain/subagent.ts';
import { oneLine } from '../domain/text.ts';

const CONTEXT_LIMIT = 500;

/** `path`: from the top of the tree to the agent. A task that was started directly stands at the top itself. */
export async function placeOf(
  t: Tx,
  { query_id, agent_id }: Pick<Speaker, 'query_id' | 'agent_id'>,
): Promise<{ path: string[]; context: string }> {
  const query = await t.queries.get(query_id);
  const path: string[] = [];
  let agent = agent_id === null ? null : await t.subagents.get(agent_id);
  const task = agent && (await t.tasks.get(agent.task_id));
  for (; agent; agent = await t.subagents.get(agent.parent_id))
    path.unshift(agentLabel(agent.role, agent.ordinal));
  if (query?.kind === 'agent') path.unshift('main agent');
  return { path, context: oneLine(task?.description ?? query?.input ?? '', CONTEXT_LIMIT) };
}
