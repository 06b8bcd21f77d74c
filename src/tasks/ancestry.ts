// The line of an agent: the roles from the main agent down to it, as they really were (an alternate counts as itself).
import type { SubagentReads } from '../domain/ports.ts';
import type { Query } from '../domain/query.ts';
import type { Subagent } from '../domain/subagent.ts';
import { MAIN_ROLE, mainRoleOf } from '../domain/workflow.ts';

/** `root`: role of the main agent. `agent` null: the line ends with it. */
export async function lineTo(
  { subagents }: { subagents: Pick<SubagentReads, 'get'> },
  agent: Subagent | null,
  root: string,
): Promise<string[]> {
  const line: string[] = [];
  for (let at = agent; at; at = await subagents.get(at.parent_id)) line.unshift(at.role);
  return [root, ...line];
}

/** The role of the main agent in the tree of a query; a caller of the API stands in no tree yet. */
export const rootOf = ({ query, name }: { query: Query | null; name: string }): string =>
  query?.kind === 'agent' ? mainRoleOf(query) : query ? MAIN_ROLE : name;
