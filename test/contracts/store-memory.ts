// Long-term memory and shared notes: what is superseded is found no more, what is noted goes with its query.
import { describe, expect, it } from 'vitest';
import type { NewNote } from '../../src/domain/brain.ts';
import { newRecordId } from '../../src/domain/ids.ts';
import type { MemoryFilter, MemoryRecord } from '../../src/domain/memory.ts';
import { AT } from './rows.ts';
import { type StoreUnderTest, useStore } from './store-under-test.ts';

const aRecord = (content: string, given: Partial<MemoryRecord> = {}): MemoryRecord => ({
  ...{ record_id: newRecordId(), layer: 'project/context', content, scope_key: 'shop' },
  ...{ source: 'api', tags: ['t'], status: 'active', correction_of: null },
  ...{ created_at: AT, updated_at: AT, ...given },
});
const all: MemoryFilter = { project: null, layer: null };

export function memoryContract(create: () => Promise<StoreUnderTest>): void {
  const under = useStore(create);
  const insert = (record: MemoryRecord, call: { run_id: string; call_id: string } | null = null) =>
    under.store.tx((t) =>
      t.memory.insert(record, { terms: new Set(record.content.split(' ')), call, reason: null }),
    );
  const find = (terms: string[], filter: MemoryFilter) =>
    under.store.reads.memory.match(terms, filter, 10);
  const matched = async (term: string, filter: MemoryFilter = all) =>
    (await find([term], filter)).map(({ record }) => record.content);

  describe('memory', () => {
    it('gives records back as they were, by id, by call, by text', async () => {
      const record = aRecord('서버 키', { tags: ['a', '나'] });
      const call = { run_id: 'r', call_id: 'c' };
      await insert(record, call);
      const { memory } = under.store.reads;
      expect(await memory.get(record.record_id)).toEqual(record);
      expect(await memory.byCall(call)).toEqual(record);
      expect(await memory.byCall({ ...call, call_id: 'd' })).toBeNull();
      expect(await memory.same(record)).toEqual(record);
      expect(await memory.same({ ...record, scope_key: 'blog' })).toBeNull();
      const reopened = await under.reopen();
      expect(await reopened.reads.memory.get(record.record_id)).toEqual(record);
    });

    it('finds terms of any script within scope and layer, the rarest term first', async () => {
      await insert(aRecord('서버 버에'));
      await insert(aRecord('腾讯 讯云', { scope_key: 'global', layer: 'domain/knowledge' }));
      await insert(aRecord('server port', { scope_key: 'blog' }));
      await insert(aRecord('server name'));
      expect(await matched('서버')).toEqual(['서버 버에']);
      expect(await matched('腾讯', { project: 'shop', layer: null })).toEqual(['腾讯 讯云']);
      expect(await matched('server')).toHaveLength(2);
      expect(await matched('server', { project: 'shop', layer: null })).toEqual(['server name']);
      expect(await matched('腾讯', { project: 'shop', layer: 'user/profile' })).toEqual([]);
      expect((await find(['server', 'port'], all))[0]?.record.content).toBe('server port');
      expect(await find([], all)).toEqual([]);
      const { total, of } = await under.store.reads.memory.frequencies(['server', '서버', 'x']);
      expect([total, of.get('server'), of.get('서버'), of.get('x')]).toEqual([4, 2, 1, undefined]);
    });

    it('supersedes once: neither term nor vector leads to the old record, its history does', async () => {
      const old = aRecord('old text');
      await insert(old);
      const fresh = aRecord('new text', { correction_of: old.record_id });
      await under.store.tx((t) => t.memory.putVector(old.record_id, 'm', [1, 0.5]));
      const { memory } = under.store.reads;
      expect(await memory.vectors('m', all)).toEqual([{ record: old, vector: [1, 0.5] }]);
      const done = await under.store.tx(async (t) => {
        const first = await t.memory.supersede(old.record_id);
        const second = await t.memory.supersede(old.record_id);
        await t.memory.insert(fresh, { terms: new Set(['new']), call: null, reason: 'why' });
        await t.memory.putVector(old.record_id, 'm', [1, 0]);
        return [first, second];
      });
      expect(done).toEqual([true, false]);
      expect(await matched('old')).toEqual([]);
      expect(await memory.vectors('m', all)).toEqual([]);
      expect((await memory.withoutVector('m', 5)).map((r) => r.content)).toEqual(['new text']);
      for (const id of [old.record_id, fresh.record_id])
        expect((await memory.history(id)).map((r) => [r.content, r.status, r.reason])).toEqual([
          ['old text', 'superseded', null],
          ['new text', 'active', 'why'],
        ]);
      expect(await memory.history('mem_none')).toEqual([]);
    });

    it('lists by layer, status and project, newest first', async () => {
      for (const n of [1, 2, 3]) await insert(aRecord(`n${n}`));
      await insert(aRecord('g', { scope_key: 'global', layer: 'user/profile' }));
      const list = async (more: object) =>
        (await under.store.reads.memory.list({ limit: 2, cursor: null, ...more })).data.map(
          (r) => r.content,
        );
      expect(await list({})).toEqual(['g', 'n3']);
      expect(await list({ layer: 'project/context' })).toEqual(['n3', 'n2']);
      expect(await list({ project: 'blog' })).toEqual([]);
      expect(await list({ project: 'shop', status: 'active' })).toEqual(['n3', 'n2']);
      expect(await list({ status: 'superseded' })).toEqual([]);
    });
  });

  describe('the shared brain', () => {
    const aNote = (query_id: string, call_id: string, more: Partial<NewNote> = {}): NewNote => ({
      ...{ query_id, kind: 'note', author: 'sa_1', role: 'coder', task_id: 't', branch: 'b' },
      ...{ note: `note ${call_id}`, run_id: 'r', call_id, ...more },
    });

    it('numbers notes in order, each call once, by query and branch', async () => {
      const { query_id } = await under.insertQuery();
      const put = (note: NewNote) => under.store.tx((t) => t.brain.insert(note));
      const first = await put(aNote(query_id, '1'));
      expect(await put(aNote(query_id, '1', { note: 'other' }))).toEqual({
        ...first,
        fresh: false,
      });
      await put(aNote(query_id, '2', { branch: 'main', author: 'main-agent', kind: 'outcome' }));
      const { brain } = under.store.reads;
      const notes = await brain.ofQuery({ query_id, limit: 10 });
      expect(notes.map((n) => [n.note, n.at])).toEqual([
        ['note 1', AT],
        ['note 2', AT],
      ]);
      expect(await brain.ofQuery({ query_id, branch: 'main', limit: 10 })).toEqual([notes[1]]);
      expect(await brain.ofQuery({ query_id, after: first.note_id, limit: 10 })).toEqual([
        notes[1],
      ]);
      expect(await brain.counts(query_id)).toEqual([
        { author: 'sa_1', branch: 'b', notes: 1, all: 1 },
        { author: 'main-agent', branch: 'main', notes: 0, all: 1 },
      ]);
      expect(await brain.others(query_id, 'r')).toBe(0);
      expect(await brain.others(query_id, 'r2')).toBe(2);
      expect(await brain.hasNoted('r')).toBe(true);
      expect(await brain.hasNoted('r2')).toBe(false);
    });

    it('goes with its query, and memory stays', async () => {
      const { query_id } = await under.insertQuery({ status: 'completed' });
      await under.store.tx((t) => t.brain.insert(aNote(query_id, '1')));
      await insert(aRecord('stays'));
      await under.store.tx((t) =>
        t.retention.removeQueries([query_id], '2100-01-01T00:00:00.000Z'),
      );
      expect(await under.store.reads.brain.ofQuery({ query_id, limit: 10 })).toEqual([]);
      expect(await matched('stays')).toEqual(['stays']);
    });
  });
}
