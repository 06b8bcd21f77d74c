// The depth guard. Called by the one spawn function; depth comes from the runtime, never from a prompt.

export type DepthContext = { depth: number; max_depth: number };
export type DepthStatus = 'LEAF_NODE' | `DEPTH_${number}`;

export const canSpawn = ({ depth, max_depth }: DepthContext): boolean => depth < max_depth;
export const depthStatus = (at: DepthContext): DepthStatus =>
  canSpawn(at) ? `DEPTH_${at.depth}` : 'LEAF_NODE';
export const childOf = ({ depth, max_depth }: DepthContext): DepthContext => ({
  depth: depth + 1,
  max_depth,
});

export type SpawnRefusal = {
  rule: 'depth' | 'matrix' | 'unknown_role' | 'cancelled' | 'shutdown';
  message: string;
};
export type SpawnAsk = {
  parent: string;
  child: string;
  at: DepthContext;
  /** Roles that the parent may start. */
  may_start: readonly string[];
  known: readonly string[];
};

/** null when the spawn is allowed; else which rule refused it and a sentence that names the numbers. */
export function refuseSpawn({
  parent,
  child,
  at,
  may_start,
  known,
}: SpawnAsk): SpawnRefusal | null {
  if (!known.includes(child))
    return {
      rule: 'unknown_role',
      message: `unknown role "${child}"; known roles: ${known.join(', ')}`,
    };
  if (!canSpawn(at))
    return {
      rule: 'depth',
      message: `${parent} at depth ${at.depth} may not start ${child}: max_depth is ${at.max_depth} (${depthStatus(at)})`,
    };
  if (!may_start.includes(child))
    return {
      rule: 'matrix',
      message: `${parent} may not start ${child}; it may start: ${may_start.join(', ') || 'nobody'}`,
    };
  return null;
}
