// The guard of nested agents: how deep, who may start whom, with which powers, how many. Pure; called by the one spawn
// function. Depth comes from the runtime, never from a prompt.
import type { Role } from './role.ts';

export type DepthContext = { depth: number; max_depth: number };
export type DepthStatus = 'LEAF_NODE' | `DEPTH_${number}`;

export const canSpawn = ({ depth, max_depth }: DepthContext): boolean => depth < max_depth;
export const depthStatus = (at: DepthContext): DepthStatus =>
  canSpawn(at) ? `DEPTH_${at.depth}` : 'LEAF_NODE';
export const childOf = ({ depth, max_depth }: DepthContext): DepthContext => ({
  depth: depth + 1,
  max_depth,
});

/** What the guard looks at in a role. */
export type RoleRules = Pick<
  Role,
  'may_start' | 'visible_to' | 'tools' | 'ceiling' | 'fan_out' | 'description'
>;
export type RulesOf = ReadonlyMap<string, RoleRules>;

/** A hidden role stands in no list and is never meant by "*"; it is started by those that name it. */
export const isHidden = ({ visible_to }: Pick<Role, 'visible_to'>): boolean => visible_to !== null;
/** Whether an agent named `parent` may know of this role at all. */
export const isVisibleTo = ({ visible_to }: Pick<Role, 'visible_to'>, parent: string): boolean =>
  visible_to === null || visible_to.includes('*') || visible_to.includes(parent);
export const listedNames = (roles: ReadonlyMap<string, Pick<Role, 'visible_to'>>): string[] =>
  [...roles].filter(([, role]) => !isHidden(role)).map(([name]) => name);
/** Roles that may start this one, by the table. */
export const parentsOf = (child: string, roles: RulesOf): string[] =>
  [...roles].flatMap(([name, { may_start }]) => {
    const role = roles.get(child);
    return role && may_start.includes(child) && isVisibleTo(role, name) ? [name] : [];
  });

/** An edge that a workflow is made of: the child names its parent. What the child can do is its author's decision. */
const isWorkflowEdge = (parent: string, child: string, roles: RulesOf): boolean =>
  roles.get(child)?.visible_to?.includes(parent) ?? false;

/** Tools that start and steer other agents are ruled by depth and table, not by a ceiling. */
const isPower = (tool: string): boolean => !/_async_tasks?$/.test(tool);

/**
 * Tools that an agent below this line of roles (the main agent first) may have at most; null: no ceiling above it.
 * A workflow edge lifts the ceiling by what its child has; nothing else does.
 */
export function powersUnder(line: readonly string[], roles: RulesOf): ReadonlySet<string> | null {
  let limit: ReadonlySet<string> | null = null;
  line.forEach((name, i) => {
    const role = roles.get(name);
    if (!role) return;
    const above = line[i - 1];
    if (limit && above !== undefined && isWorkflowEdge(above, name, roles))
      limit = new Set([...limit, ...role.tools]);
    if (!role.ceiling) return;
    const own = new Set(role.tools);
    limit = limit ? new Set([...limit].filter((tool) => own.has(tool))) : own;
  });
  return limit;
}

/** Tools of `child` that go beyond the ceiling above it. */
export function beyondCeiling(line: readonly string[], child: string, roles: RulesOf): string[] {
  const limit = powersUnder(line, roles);
  const role = roles.get(child);
  const parent = line.at(-1);
  if (!limit || !role) return [];
  if (parent !== undefined && isWorkflowEdge(parent, child, roles)) return [];
  return role.tools.filter((tool) => isPower(tool) && !limit.has(tool));
}

export const SPAWN_RULES = [
  'unknown_role',
  'hidden',
  'depth',
  'matrix',
  'ceiling',
  'nodes',
  'fan_out',
  'workflow',
  'cancelled',
] as const;
export type SpawnRule = (typeof SPAWN_RULES)[number];
export type SpawnRefusal = { rule: SpawnRule; message: string };
export type SpawnAsk = {
  parent: string;
  child: string;
  at: DepthContext;
  /** Roles that the parent may start. */
  may_start: readonly string[];
  roles: RulesOf;
  /** Roles from the main agent down to the parent. */
  line: readonly string[];
};

/** null when the spawn is allowed; else which rule refused it and a sentence that names names and numbers. */
export function refuseSpawn(ask: SpawnAsk): SpawnRefusal | null {
  const { parent, child, at, may_start, roles, line } = ask;
  const role = roles.get(child);
  if (!role)
    return {
      rule: 'unknown_role',
      message: `unknown role "${child.slice(0, 100)}"; known roles: ${listedNames(roles).join(', ')}`,
    };
  const parents = parentsOf(child, roles).join(', ');
  const startedBy = parents
    ? `it is started by: ${parents}`
    : 'no agent starts it: it is the main agent of a workflow';
  if (!isVisibleTo(role, parent))
    return { rule: 'hidden', message: `${child} is hidden from ${parent}; ${startedBy}` };
  if (!canSpawn(at))
    return {
      rule: 'depth',
      message: `${parent} at depth ${at.depth} may not start ${child}: max_depth is ${at.max_depth} (${depthStatus(at)})`,
    };
  if (!may_start.includes(child))
    return {
      rule: 'matrix',
      message: `${parent} may not start ${child}; it may start: ${may_start.join(', ') || 'nobody'}${isHidden(role) ? `; ${startedBy}` : ''}`,
    };
  const beyond = beyondCeiling(line, child, roles);
  if (beyond.length > 0)
    return {
      rule: 'ceiling',
      message: `${parent} may not start ${child}: a ceiling above it does not allow ${beyond.join(', ')}`,
    };
  return null;
}

/** How many there are already, counted in the unit of work that would add one. */
export type Crowd = {
  /** Tasks of the query, ended ones too, and the most it may have. */
  tasks: number;
  max_tasks: number;
  /** Open tasks of this role that the parent has, and the most at once; 0: any number. */
  open: number;
  fan_out: number;
};

export function refuseCrowd(parent: string, child: string, crowd: Crowd): SpawnRefusal | null {
  const { tasks, max_tasks, open, fan_out } = crowd;
  if (tasks >= max_tasks)
    return {
      rule: 'nodes',
      message: `${parent} may not start ${child}: the query has ${tasks} tasks and max_tasks is ${max_tasks}; go on with those that exist (update_async_task)`,
    };
  if (fan_out > 0 && open >= fan_out)
    return {
      rule: 'fan_out',
      message: `${parent} may not start ${child} now: ${open} of its ${child} tasks are open and fan_out is ${fan_out}; wait for one to end`,
    };
  return null;
}
