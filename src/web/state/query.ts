// One query that somebody looks at: its row, its tree, and what every node of it goes through.
import { type Signal, signal } from '@preact/signals';
import type { TroupeEvent } from '../../domain/event.ts';
import { get, type Page, query as search } from '../net/api.ts';
import { apply, type Tracks } from '../timeline/tracks.ts';
import { generation, onEvents } from './live.ts';
import type { Query, TreeNode } from './shapes.ts';

export type OpenQuery = {
  id: string;
  query: Signal<Query | null>;
  tree: Signal<TreeNode | null>;
  tracks: Tracks;
  /** Rises with every change of `tracks`. */
  version: Signal<number>;
  error: Signal<string | null>;
  /** Events that a person may want to read, newest last; bounded. */
  log: Signal<TroupeEvent[]>;
  close(): void;
};

/** All but the text of the models, which would be most of it. */
const KINDS = 'query,subagent,tool,notice,policy,branch,security';
const LOG = 2_000;
const REFRESH_MS = 250;

export function openQuery(id: string): OpenQuery {
  const tracks: Tracks = new Map();
  const [query, tree] = [signal<Query | null>(null), signal<TreeNode | null>(null)];
  const [version, error, log] = [signal(0), signal<string | null>(null), signal<TroupeEvent[]>([])];
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;

  function take(events: readonly TroupeEvent[]): void {
    const ours = events.filter((e) => e.query_id === id && e.seq > last);
    if (ours.length === 0) return;
    last = ours.at(-1)?.seq ?? last;
    let moved = false;
    for (const event of ours) moved = apply(tracks, event) || moved;
    version.value += 1;
    const told = ours.filter((e) => e.kind !== 'output');
    if (told.length > 0) log.value = [...log.value, ...told].slice(-LOG);
    if (moved) refreshSoon();
  }
  function refreshSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void refresh();
    }, REFRESH_MS);
  }
  async function refresh(): Promise<void> {
    try {
      const [row, root] = await Promise.all([
        get<Query>(`/v1/queries/${id}`),
        get<TreeNode>(`/v1/queries/${id}/tree`),
      ]);
      if (closed) return;
      query.value = row;
      tree.value = root;
      error.value = null;
    } catch (reason) {
      error.value = (reason as Error).message;
    }
  }
  async function past(): Promise<void> {
    let cursor: string | undefined;
    do {
      const path = `/v1/queries/${id}/events${search({ kinds: KINDS, limit: 1_000, cursor })}`;
      const page: Page<TroupeEvent> = await get(path);
      if (closed) return;
      take(page.data);
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
  }
  async function start(): Promise<void> {
    // What happens meanwhile waits until the past is there: order is by number.
    const held: TroupeEvent[] = [];
    waiting = held;
    tracks.clear();
    last = 0;
    log.value = [];
    await Promise.all([refresh(), past().catch(() => {})]);
    waiting = null;
    take(held);
  }
  let waiting: TroupeEvent[] | null = null;
  const stopEvents = onEvents((events) => {
    if (waiting) waiting.push(...events.filter((e) => e.query_id === id));
    else take(events);
  });
  const stopGeneration = generation.subscribe(() => void start());
  return {
    ...{ id, query, tree, tracks, version, error, log },
    close() {
      closed = true;
      clearTimeout(timer);
      stopEvents();
      stopGeneration();
    },
  };
}
