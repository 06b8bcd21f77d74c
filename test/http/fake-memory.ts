// Memory and brain behind the HTTP surface: one record, one note, and what was asked of them.
import type { BrainNote } from '../../src/domain/brain.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { MemoryRecord } from '../../src/domain/memory.ts';
import type { Services } from '../../src/http/services.ts';

type Note = (name: string, ...args: unknown[]) => unknown;
const AT = '2026-01-01T00:00:00.000Z';

export const aRecord: MemoryRecord = {
  record_id: 'mem_0123456789ab',
  layer: 'user/profile',
  content: 'likes tea',
  scope_key: 'global',
  source: 'api',
  tags: [],
  status: 'active',
  correction_of: null,
  created_at: AT,
  updated_at: AT,
};
export const aNote: BrainNote = {
  note_id: 1,
  query_id: '0198c0de-0000-7000-8000-000000000001',
  kind: 'note',
  author: 'main-agent',
  role: 'main',
  task_id: null,
  branch: 'main',
  note: 'the port is 8080',
  at: AT,
};

export function fakeMemory(noteCall: Note): Pick<Services, 'memory' | 'brain'> {
  const find = (id: string): MemoryRecord => {
    if (id === aRecord.record_id) return aRecord;
    throw new AppError('not_found', `there is no record "${id}"`);
  };
  return {
    memory: {
      async list(ask) {
        noteCall('listMemory', ask);
        return { data: [aRecord], next_cursor: null };
      },
      async search(query, filter, n) {
        noteCall('searchMemory', query, filter, n);
        return [aRecord];
      },
      async store(given) {
        noteCall('storeMemory', given);
        return aRecord;
      },
      async correct(given) {
        noteCall('correctMemory', given);
        return { ...find(given.record_id), content: given.replacement };
      },
      history: async (id) => [{ ...find(id), reason: null }],
    },
    brain: {
      async page(query_id, ask) {
        noteCall('brain', query_id, ask);
        return { data: [aNote], next_cursor: null };
      },
    },
  };
}
