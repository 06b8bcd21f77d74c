// The list of queries: fetched once, then kept by events. Rows move between groups, never within one.
import { signal } from '@preact/signals';
import type { TroupeEvent } from '../../domain/event.ts';
import { hear, serverNow } from '../clock.ts';
import { get, type Page, query as search } from '../net/api.ts';
import { apply, type Track, type Tracks } from '../timeline/tracks.ts';
import { generation, onEvents } from './live.ts';
import type { Query } from './shapes.ts';

const PAGE = 50;
export const queries = signal<Query[]>([]);
export const nextCursor = signal<string | null>(null);
export const loading = signal(true);
export const listError = signal<string | null>(null);
/** Agents at work by query, as far as their events have been seen since the page was opened. */
export const atWork = signal<Map<string, Track[]>>(new Map());

const tracksOf = new Map<string, Tracks>();
const stale = new Set<string>();
let refreshing = false;

const byNewest = (a: Query, b: Query): number => (a.query_id < b.query_id ? 1 : -1);
function put(rows: readonly Query[]): void {
  const all = new Map(queries.value.map((q) => [q.query_id, q]));
  for (const row of rows) all.set(row.query_id, row);
  queries.value = [...all.values()].sort(byNewest);
}

export async function loadQueries(more = false): Promise<void> {
  try {
    const cursor = more ? (nextCursor.value ?? undefined) : undefined;
    const page = await get<Page<Query>>(`/v1/queries${search({ limit: PAGE, cursor })}`);
    if (!more) queries.value = [];
    put(page.data);
    nextCursor.value = page.next_cursor;
    listError.value = null;
    for (const query of page.data) if (isOpen(query.status)) void watchTree(query);
  } catch (error) {
    listError.value = (error as Error).message;
  } finally {
    loading.value = false;
  }
}
export const isOpen = (status: string): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting';

/** What was at work before this page came: its subagents' moves, once. */
async function watchTree({ query_id }: Query): Promise<void> {
  const path = `/v1/queries/${query_id}/events${search({ kinds: 'query,subagent,tool', limit: 1_000 })}`;
  const page = await get<Page<TroupeEvent>>(path).catch(() => null);
  if (page) follow(page.data);
}

async function refreshStale(): Promise<void> {
  if (refreshing) return;
  refreshing = true;
  while (stale.size > 0) {
    const ids = [...stale].slice(0, 8);
    for (const id of ids) stale.delete(id);
    const rows = await Promise.all(
      ids.map((id) => get<Query>(`/v1/queries/${id}`).catch(() => null)),
    );
    put(rows.filter((row) => row !== null));
  }
  refreshing = false;
}

function follow(events: readonly TroupeEvent[]): boolean {
  let moved = false;
  for (const event of events) {
    if (event.query_id === null) continue;
    const tracks = tracksOf.get(event.query_id) ?? new Map();
    tracksOf.set(event.query_id, tracks);
    moved = apply(tracks, event) || moved;
    if (event.kind === 'query' && !isOpen(event.state)) tracksOf.delete(event.query_id);
  }
  atWork.value = new Map([...tracksOf].map(([id, tracks]) => [id, liveOf(tracks)]));
  return moved;
}
const liveOf = (tracks: Tracks): Track[] =>
  [...tracks.values()].filter((t) => t.parent !== null && t.segments.at(-1)?.to === null);

export function keepQueries(): void {
  onEvents((events) => {
    const newest = events.at(-1);
    if (newest && serverNow() - Date.parse(newest.at) < 60_000) hear(newest.at);
    follow(events);
    for (const event of events)
      if (event.query_id && (event.kind === 'query' || event.kind === 'subagent'))
        stale.add(event.query_id);
    void refreshStale();
  });
  generation.subscribe(() => {
    tracksOf.clear();
    void loadQueries();
  });
}
