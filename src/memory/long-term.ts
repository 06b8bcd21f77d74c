// Long-term memory: stores, finds, corrects. A record is never changed: a correction is a new one, and the old one is
// found no more. A record of a project is never shown in another.
import { AppError } from '../domain/errors.ts';
import { newRecordId } from '../domain/ids.ts';
import {
  type Layer,
  layerOf,
  MEMORY_LIMITS,
  type MemoryFilter,
  type MemoryRecord,
  scopeOf,
  unknownLayer,
} from '../domain/memory.ts';
import type { CallKey, Embedder, MemoryReads } from '../domain/memory-ports.ts';
import type { Log, Store, Tx } from '../domain/ports.ts';
import { oneLine } from '../domain/text.ts';
import { visibleText } from '../domain/visible-text.ts';
import { EMBED_MS, type Search } from './search.ts';
import { indexed } from './words.ts';

export type LongTermDeps = { store: Store; search: Search; embedder: Embedder | null; log: Log };

/** Who stores: `ids` go on the event, `call` makes a repetition harmless. */
export type Teller = {
  source: string;
  /** null: the caller may touch every project. */
  project: string | null;
  call: CallKey | null;
  ids?: { query_id: string; task_id: string | null; agent_id: string | null; role: string };
};
type Also = (t: Tx, record: MemoryRecord) => Promise<void>;

const BACKFILL = 64;

export function checkLayer(name: string): Layer {
  const layer = layerOf(name);
  if (layer) return layer;
  throw new AppError('bad_request', unknownLayer(name), {
    errors: [{ path: '/layer', message: unknownLayer(name) }],
  });
}

/** Without hidden characters, not empty, not too long. */
function checkText(name: string, given: string): string {
  const text = visibleText(given);
  const { content: most } = MEMORY_LIMITS;
  const wrong =
    text === ''
      ? 'is empty: say what is to be remembered'
      : [...text].length > most
        ? `has ${[...text].length} characters; at most ${most} are allowed: store the point, not the document`
        : null;
  if (wrong === null) return text;
  throw new AppError('bad_request', `${name} ${wrong}`, {
    errors: [{ path: `/${name}`, message: wrong }],
  });
}

const cleanTags = (tags: readonly string[]): string[] =>
  [...new Set(tags.map((tag) => oneLine(visibleText(tag), MEMORY_LIMITS.tag)))]
    .filter((tag) => tag !== '')
    .slice(0, MEMORY_LIMITS.tags);

/** Seen from a project: its own records and those that hold everywhere. */
const mayTouch = (record: MemoryRecord, project: string | null): boolean =>
  project === null || record.scope_key === scopeOf(record.layer, project);

export function createLongTerm({ store, search, embedder, log }: LongTermDeps) {
  const { memory: reads } = store.reads;

  /** A record without a vector is found by its words; `fillVectors` makes up for it at the next start. */
  async function vectorOf(text: string): Promise<number[] | null> {
    if (!embedder) return null;
    try {
      return (await embedder.embed([text], AbortSignal.timeout(EMBED_MS)))[0] ?? null;
    } catch (error) {
      log.warn({ err: error, model: embedder.model }, 'stored without a vector');
      return null;
    }
  }

  async function insert(
    t: Tx,
    made: Omit<MemoryRecord, 'record_id' | 'status' | 'created_at' | 'updated_at'>,
    { vector, reason }: { vector: number[] | null; reason: string | null },
    teller: Teller,
  ): Promise<MemoryRecord> {
    const stamps = { created_at: t.at, updated_at: t.at };
    const record = { ...made, record_id: newRecordId(), status: 'active' as const, ...stamps };
    const { terms } = indexed([record.content, ...record.tags].join('\n'));
    await t.memory.insert(record, { terms, call: teller.call, reason });
    if (vector && embedder) await t.memory.putVector(record.record_id, embedder.model, vector);
    const { layer, scope_key, record_id, correction_of } = record;
    await t.events.append({
      kind: 'notice',
      state: correction_of ? 'memory_corrected' : 'memory_stored',
      detail: oneLine(`${layer}: ${record.content}`),
      ...teller.ids,
      data: { record_id, layer, scope_key, ...(correction_of ? { correction_of } : {}) },
    });
    return record;
  }

  /** The same call again, or the same text in the same place, is one record. */
  async function keep(
    t: Tx,
    { content, layer, tags }: { content: string; layer: Layer; tags: readonly string[] },
    teller: Teller & { project: string },
    vector: number[] | null,
  ): Promise<MemoryRecord> {
    const scope_key = scopeOf(layer, teller.project);
    const known =
      (teller.call && (await t.memory.byCall(teller.call))) ??
      (await t.memory.same({ layer, scope_key, content }));
    if (known) return known;
    const made = { layer, content, scope_key, source: teller.source, correction_of: null };
    return insert(t, { ...made, tags: cleanTags(tags) }, { vector, reason: null }, teller);
  }

  async function find(t: { memory: MemoryReads }, record_id: string, project: string | null) {
    const record = await t.memory.get(record_id.trim());
    if (record && mayTouch(record, project)) return record;
    throw new AppError(
      'not_found',
      `there is no record "${record_id.slice(0, 100)}" here; ids are given whole, as a search shows them`,
    );
  }

  return {
    /** The same text in the same place is one record. Durable when it resolves. */
    async store(
      given: { content: string; layer: string; tags: readonly string[] },
      teller: Teller & { project: string },
      also?: Also,
    ): Promise<MemoryRecord> {
      const layer = checkLayer(given.layer);
      const content = checkText('content', given.content);
      const vector = await vectorOf(content);
      return store.tx(async (t) => {
        const record = await keep(t, { ...given, layer, content }, teller, vector);
        await also?.(t, record);
        return record;
      });
    },

    /**
     * In the unit of work of whoever decides: a text that is clean already and may be as long as a file. Its vector
     * is made later, by `fillVectors`.
     */
    keep: (
      t: Tx,
      given: { content: string; layer: Layer; tags: readonly string[] },
      teller: Teller & { project: string },
    ) => keep(t, given, teller, null),

    /** A new record in the place of an active one; AppError conflict when that has been corrected already. */
    async correct(
      given: { record_id: string; replacement: string; reason: string | null },
      teller: Teller,
      also?: Also,
    ): Promise<MemoryRecord> {
      const content = checkText('replacement', given.replacement);
      const vector = await vectorOf(content);
      const reason = given.reason === null ? null : oneLine(visibleText(given.reason), 500) || null;
      return store.tx(async (t) => {
        const done = teller.call && (await t.memory.byCall(teller.call));
        if (done) return done;
        const old = await find(t, given.record_id, teller.project);
        if (!(await t.memory.supersede(old.record_id))) {
          const latest = (await t.memory.history(old.record_id)).at(-1);
          throw new AppError(
            'conflict',
            `record ${old.record_id} has been corrected already; the one that counts is ${latest?.record_id}: ${latest?.content}`,
            { data: { record_id: latest?.record_id } },
          );
        }
        const { layer, scope_key, tags } = old;
        const made = { layer, content, scope_key, tags, source: teller.source };
        const record = await insert(
          t,
          { ...made, correction_of: old.record_id },
          { vector, reason },
          teller,
        );
        await also?.(t, record);
        return record;
      });
    },

    search: (query: string, filter: MemoryFilter, n: number): Promise<MemoryRecord[]> =>
      search(query.slice(0, MEMORY_LIMITS.query), filter, Math.min(n, MEMORY_LIMITS.results)),
    list: reads.list,
    /** Oldest first. */
    async history(record_id: string) {
      return reads.history((await find({ memory: reads }, record_id, null)).record_id);
    },

    /** Gives a vector to every active record that has none of this model. Stops at the first failure. */
    async fillVectors(signal: AbortSignal): Promise<number> {
      if (!embedder) return 0;
      let filled = 0;
      for (;;) {
        const bare = await reads.withoutVector(embedder.model, BACKFILL);
        if (bare.length === 0 || signal.aborted) return filled;
        const texts = bare.map(({ content }) => content);
        const vectors = await embedder.embed(texts, signal);
        await store.tx(async (t) => {
          for (const [i, { record_id }] of bare.entries())
            await t.memory.putVector(record_id, embedder.model, vectors[i] ?? []);
        });
        filled += bare.length;
      }
    },
  };
}
