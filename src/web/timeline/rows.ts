// Rows of the timeline in the order in which a person reads a tree: parents first, children by their start.

import type { TreeNode } from '../state/shapes.ts';
import { type BarState, barOf, isOver, type Segment, type Track, type Tracks } from './tracks.ts';

export type Row = {
  track: Track;
  /** As the server said last, where it has said something; else as the events tell. */
  state: BarState;
  waiting: string | null;
  node: TreeNode | null;
  depth: number;
  children: number;
  hidden_below: number;
  /** Milliseconds without a sign of progress; 0 when it is not expected to give one. */
  silent_ms: number;
};

/** Without progress for so long a row says so. */
export const SILENT_MS = 20_000;

export const nodesOf = (root: TreeNode | null): Map<string, TreeNode> => {
  const all = new Map<string, TreeNode>();
  const add = (node: TreeNode): void => {
    all.set(node.id, node);
    node.children.forEach(add);
  };
  if (root) add(root);
  return all;
};

const stateOf = (track: Track, node: TreeNode | null): BarState => {
  const told = track.segments.at(-1)?.state ?? (node ? barOf(node.status, null) : 'queued');
  // The events move first; why something waits only the server's own view says.
  return told === 'running' && node?.waiting ? barOf(node.status, node.waiting) : told;
};

function childrenOf(tracks: Tracks): { root: Track | null; below: Map<string, Track[]> } {
  const byAgent = new Map<string, string>();
  for (const track of tracks.values()) if (track.agent_id) byAgent.set(track.agent_id, track.id);
  let root: Track | null = null;
  const below = new Map<string, Track[]>();
  for (const track of tracks.values()) {
    if (track.parent === null) {
      root = track;
      continue;
    }
    const parent = byAgent.get(track.parent) ?? '';
    below.set(parent, [...(below.get(parent) ?? []), track]);
  }
  for (const list of below.values()) list.sort((a, b) => a.started_at - b.started_at);
  return { root, below };
}

export function rowsOf(
  tracks: Tracks,
  tree: TreeNode | null,
  folded: ReadonlySet<string>,
  now: number,
): Row[] {
  const nodes = nodesOf(tree);
  const { root, below } = childrenOf(tracks);
  const rows: Row[] = [];
  const count = (id: string): number =>
    (below.get(id) ?? []).reduce((sum, child) => sum + 1 + count(child.id), 0);
  function add(track: Track, depth: number, key: string): void {
    const node = nodes.get(track.id) ?? null;
    const state = stateOf(track, node);
    const children = below.get(key) ?? [];
    const fold = folded.has(track.id);
    rows.push({
      ...{ track, state, node, depth, waiting: isOver(state) ? null : (node?.waiting ?? null) },
      children: children.length,
      hidden_below: fold ? count(key) : 0,
      silent_ms: state === 'running' ? Math.max(0, now - track.last_at) : 0,
    });
    if (!fold) for (const child of children) add(child, depth + 1, child.id);
  }
  // Children of the main agent name it, not the query; those whose parent is unknown stand under it as well.
  if (root) add(root, 0, '');
  return rows;
}

/** From the first start to the last end, or to now while something is open; at least a second. */
export function spanOf(tracks: Tracks, now: number): { from: number; to: number; open: boolean } {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  let open = false;
  for (const { started_at, segments } of tracks.values()) {
    from = Math.min(from, started_at);
    const last: Segment | undefined = segments.at(-1);
    if (last && last.to === null) open = true;
    to = Math.max(to, last?.to ?? started_at);
  }
  if (from === Number.POSITIVE_INFINITY) return { from: now - 1_000, to: now, open: false };
  if (open) to = now;
  return { from, to: Math.max(to, from + 1_000), open };
}
