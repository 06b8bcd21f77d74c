// What each node of a query has gone through, told by its events: segments of a bar, and what it does now. Pure data.
import type { TroupeEvent } from '../../domain/event.ts';

export type BarState =
  | 'queued'
  | 'starting'
  | 'running'
  | 'waiting'
  | 'blocked'
  | 'done'
  | 'failed'
  | 'cancelled';
/** Times in ms since 1970, of the server. `to` is null while it lasts. */
export type Segment = { state: BarState; from: number; to: number | null };
export type Track = {
  id: string;
  label: string;
  role: string;
  depth: number;
  /** agent_id of the parent; null for the root. */
  parent: string | null;
  agent_id: string | null;
  description: string;
  segments: Segment[];
  /** The last thing that it said or did. */
  activity: string;
  /** When there was last a sign of progress. */
  last_at: number;
  model: string | null;
  pid: number | null;
  started_at: number;
};

const BAR_OF: Record<string, BarState> = {
  queued: 'queued',
  created: 'queued',
  assigned: 'starting',
  running: 'running',
  waiting: 'waiting',
  blocked: 'blocked',
  completed: 'done',
  degraded: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};
export const barOf = (status: string, waiting: string | null): BarState =>
  waiting === 'human' || waiting === 'child' ? 'waiting' : (BAR_OF[status] ?? 'queued');
export const isOver = (state: BarState): boolean =>
  state === 'done' || state === 'failed' || state === 'cancelled';

const ACTIVITY_LENGTH = 200;
const oneLine = (text: string): string =>
  text.trimEnd().split('\n').at(-1)?.slice(0, ACTIVITY_LENGTH) ?? '';

/** A row's past is bounded: what a bar cannot show in its width need not be kept. */
const SEGMENTS = 200;

export function move(track: Track, state: BarState, at: number): void {
  const last = track.segments.at(-1);
  if (last?.state === state) return;
  if (last && last.to === null) last.to = at;
  if (last && isOver(last.state) && isOver(state)) return;
  track.segments.push({ state, from: at, to: isOver(state) ? at : null });
  if (track.segments.length > SEGMENTS) track.segments.splice(1, 1);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

export type Tracks = Map<string, Track>;

function trackFor(tracks: Tracks, event: TroupeEvent, at: number): Track | null {
  const id = event.task_id ?? event.query_id;
  if (id === null) return null;
  const known = tracks.get(id);
  if (known) return known;
  const isRoot = event.task_id === null;
  // A task is known from its first move on; anything else about it comes after that.
  if (!isRoot && event.kind !== 'subagent') return null;
  const track: Track = {
    ...{ id, agent_id: event.agent_id, description: event.detail, segments: [], activity: '' },
    label: isRoot ? 'main agent' : `${event.role} agent #${event.data.ordinal ?? '?'}`,
    role: event.role ?? 'main',
    depth: isRoot ? 0 : (numberOf(event.data.depth) ?? 1),
    parent: isRoot ? null : textOf(event.data.parent_id) || 'main-agent',
    ...{ last_at: at, model: null, pid: null, started_at: at },
  };
  tracks.set(id, track);
  return track;
}

function act(track: Track, event: TroupeEvent): void {
  const { kind, state, detail, data } = event;
  if (kind === 'output') track.activity = oneLine(textOf(data.text)) || track.activity;
  else if (kind === 'tool') track.activity = state === 'started' ? `${detail} …` : oneLine(detail);
  else if (kind === 'notice' && state === 'progress') track.activity = oneLine(detail);
}

/** True when the shape of the tree may have changed: a node is new or has moved. */
export function apply(tracks: Tracks, event: TroupeEvent): boolean {
  const at = Date.parse(event.at);
  const track = trackFor(tracks, event, at);
  if (track === null) return false;
  act(track, event);
  if (event.kind === 'output' || event.kind === 'tool') track.last_at = at;
  if (event.kind !== 'subagent' && event.kind !== 'query') return false;
  if (event.kind === 'subagent') {
    track.agent_id = event.agent_id;
    if (event.role && track.role !== event.role) {
      track.role = event.role;
      track.label = `${event.role} agent #${event.data.ordinal ?? '?'}`;
    }
    track.model = textOf(event.data.model) || track.model;
    track.pid = numberOf(event.data.pid) ?? track.pid;
  }
  const bar = BAR_OF[event.state];
  if (bar) {
    track.last_at = at;
    move(track, bar, at);
  }
  return true;
}
