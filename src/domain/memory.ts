// Long-term memory in words: three layers, records that are corrected but never changed, and what an agent may ask.
// Shapes and names only.
import type { ErrorCode } from './errors.ts';

export const LAYERS = ['user/profile', 'project/context', 'domain/knowledge'] as const;
export type Layer = (typeof LAYERS)[number];

const ALIASES: ReadonlyMap<string, Layer> = new Map(
  Object.entries({
    user: 'user/profile',
    profile: 'user/profile',
    user_preferences: 'user/profile',
    project: 'project/context',
    context: 'project/context',
    domain: 'domain/knowledge',
    knowledge: 'domain/knowledge',
  } as const),
);

/** The layer that a name means (`user_profile`, `domain\knowledge`, `Project`), or null. */
export function layerOf(name: string): Layer | null {
  const flat = name
    .trim()
    .toLowerCase()
    .replace(/[\s/\\-]+/g, '_');
  return LAYERS.find((layer) => layer.replace('/', '_') === flat) ?? ALIASES.get(flat) ?? null;
}

export const unknownLayer = (name: string): string =>
  `"${name.slice(0, 100)}" is no layer of memory; the layers are ${LAYERS.join(', ')}`;

export const MEMORY_STATUSES = ['active', 'superseded'] as const;
export type MemoryStatus = (typeof MEMORY_STATUSES)[number];

/** Scope of the layers that hold everywhere. */
export const GLOBAL = 'global';
/** Scope of a record: records of a project are seen in that project only. */
export function scopeOf(layer: Layer, project: string): string {
  if (layer !== 'project/context') return GLOBAL;
  return project === GLOBAL ? `project:${project}` : project;
}
/** The project of a query that names none and has a workdir of its own. */
export const DEFAULT_PROJECT = 'default';

/** One row of memory_records. Only its status ever changes. */
export type MemoryRecord = {
  record_id: string;
  layer: Layer;
  content: string;
  /** `global`, or the name or folder of the project. */
  scope_key: string;
  /** Who stored it: an agent, or `api`. */
  source: string;
  tags: string[];
  status: MemoryStatus;
  /** The record that this one replaces. */
  correction_of: string | null;
  created_at: string;
  updated_at: string;
};

export const MEMORY_LIMITS = { content: 4_000, tags: 10, tag: 64, query: 4_000, results: 50 };

/** What the memory tools ask for. `call_id` is the tool_call_id: store and correct are idempotent by it. */
export type MemoryCall =
  | { op: 'store'; call_id: string; content: string; layer: string; tags: string[] }
  | { op: 'search'; query: string; layer: string | null; n: number }
  | {
      op: 'correct';
      call_id: string;
      record_id: string;
      replacement: string;
      reason: string | null;
    };

export type MemoryAnswer =
  | { ok: true; op: 'store' | 'correct'; record: MemoryRecord }
  /** Best first. */
  | { ok: true; op: 'search'; records: MemoryRecord[] }
  | { ok: false; code: ErrorCode; message: string };

/** Which records a search may see. `project` null: those of every project (for people who run the server). */
export type MemoryFilter = { project: string | null; layer: Layer | null };
