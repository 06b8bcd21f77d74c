// What a run is told at its start of what is remembered: the few records that answer to its task, and how many shared
// notes there are to read. Data for the memory block; never the notes themselves.
import { MEMORY_LIMITS, type MemoryRecord } from '../domain/memory.ts';
import type { BrainReads, MemoryReads } from '../domain/memory-ports.ts';
import { cutTo } from './remember/cut.ts';
import type { Search } from './search.ts';

const MOST_RECORDS = 5;

export type RecallDeps = {
  reads: { memory: MemoryReads; brain: BrainReads };
  search: Search;
  projectOf(query_id: string): Promise<string>;
};

/** A remembered file is longer than what anybody stores as a note: `memory_search` shows all of it. */
const line = ({ layer, record_id, content, created_at }: MemoryRecord): string =>
  `- [${layer}] ${cutTo(content, MEMORY_LIMITS.content)} (${record_id}, ${created_at.slice(0, 10)})`;

export function createRecall({ reads, search, projectOf }: RecallDeps) {
  return async function recall(query_id: string, message: () => Promise<string>): Promise<string> {
    const counts = await reads.brain.counts(query_id);
    const { total } = await reads.memory.frequencies([]);
    const parts: string[] = [];
    if (total > 0) {
      const filter = { project: await projectOf(query_id), layer: null };
      parts.push(...(await search(await message(), filter, MOST_RECORDS)).map(line));
    }
    const notes = counts.reduce((sum, c) => sum + c.notes, 0);
    if (notes > 0)
      parts.push(
        `${notes} shared ${notes === 1 ? 'note' : 'notes'} of agents of this request; brain_query shows them.`,
      );
    return parts.join('\n');
  };
}
