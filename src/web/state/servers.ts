// The role servers: fetched on every event about one, and every few seconds for what no event tells (memory, CPU).
import { signal } from '@preact/signals';
import { get, type Page } from '../net/api.ts';
import { generation, onEvents } from './live.ts';
import type { ServerRow } from './shapes.ts';

export type Sample = { rss: number; cpu: number };
export const servers = signal<ServerRow[] | null>(null);
export const serversError = signal<string | null>(null);
/** By role and instance, oldest first. */
export const samples = signal<Map<string, Sample[]>>(new Map());

const EVERY_MS = 3_000;
const SAMPLES = 60;
export const keyOf = (s: ServerRow): string => `${s.role}/${s.instance}`;

function sample(rows: readonly ServerRow[]): void {
  const next = new Map<string, Sample[]>();
  for (const row of rows) {
    if (row.rss_bytes === null) continue;
    const before = samples.value.get(keyOf(row)) ?? [];
    next.set(keyOf(row), [
      ...before.slice(1 - SAMPLES),
      { rss: row.rss_bytes, cpu: row.cpu_seconds ?? 0 },
    ]);
  }
  samples.value = next;
}

export async function loadServers(): Promise<void> {
  try {
    const { data } = await get<Page<ServerRow>>('/v1/servers');
    servers.value = data;
    serversError.value = null;
    sample(data);
  } catch (error) {
    serversError.value = (error as Error).message;
  }
}

/** While the view is open. */
export function watchServers(): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) void loadServers();
  }, EVERY_MS);
  const stopEvents = onEvents((events) => {
    if (events.some((e) => e.kind === 'server' || e.kind === 'subagent')) void loadServers();
  });
  const stopGeneration = generation.subscribe(() => void loadServers());
  return () => {
    clearInterval(timer);
    stopEvents();
    stopGeneration();
  };
}
