// Finds what is relevant to a text: by words, and by meaning where an embedder is configured. A text that nothing
// answers to finds nothing. Never fails because of the embedder: words alone are enough.
import type { MemoryFilter, MemoryRecord } from '../domain/memory.ts';
import type { Embedder, MemoryReads } from '../domain/memory-ports.ts';
import type { Log } from '../domain/ports.ts';
import { cosine, fuse } from './fuse.ts';
import { isRelevant, rareness } from './relevance.ts';
import { indexed } from './words.ts';

export type SearchDeps = { reads: MemoryReads; embedder: Embedder | null; log: Log };

/** Candidates whose relevance is looked at. */
const CANDIDATES = 50;
/** Terms of a long text that are asked for: the rarest say most. */
const MOST_TERMS = 64;
/** Texts further apart than this are about something else, with the common embedding models. */
const ALIKE = 0.35;
const MOST_ALIKE = 20;
/** A search waits for a model; the first step of a run waits for the search. */
export const EMBED_MS = 5_000;

export function createSearch({ reads, embedder, log }: SearchDeps) {
  async function byWords(text: string, filter: MemoryFilter): Promise<MemoryRecord[]> {
    const question = indexed(text);
    const asked = [...new Set(question.units.flatMap((unit) => unit.terms))];
    const all = await reads.frequencies(asked);
    const known = asked
      .filter((term) => all.of.has(term))
      .sort((a, b) => rareness(all, b) - rareness(all, a))
      .slice(0, MOST_TERMS);
    const found = await reads.match(known, filter, CANDIDATES);
    return found
      .map(({ record }) => record)
      .filter(({ content }) => isRelevant(question, indexed(content), all));
  }

  async function byMeaning(text: string, filter: MemoryFilter): Promise<MemoryRecord[]> {
    if (!embedder) return [];
    try {
      const [vector] = await embedder.embed([text], AbortSignal.timeout(EMBED_MS));
      if (!vector) return [];
      const known = await reads.vectors(embedder.model, filter);
      return known
        .map(({ record, vector: other }) => ({ record, alike: cosine(vector, other) }))
        .filter(({ alike }) => alike >= ALIKE)
        .sort((a, b) => b.alike - a.alike)
        .slice(0, MOST_ALIKE)
        .map(({ record }) => record);
    } catch (error) {
      log.warn({ err: error, model: embedder.model }, 'searched by words alone');
      return [];
    }
  }

  /** At most `n` active records, best first. */
  return async function search(
    text: string,
    filter: MemoryFilter,
    n: number,
  ): Promise<MemoryRecord[]> {
    const meant = await byMeaning(text, filter);
    const worded = await byWords(text, filter);
    const records = new Map([...meant, ...worded].map((record) => [record.record_id, record]));
    const ids = (list: readonly MemoryRecord[]): string[] => list.map((r) => r.record_id);
    return fuse([ids(worded), ids(meant)])
      .slice(0, n)
      .flatMap((id) => records.get(id) ?? []);
  };
}
export type Search = ReturnType<typeof createSearch>;
