// Reviews: found by what asks for them, closed once, gone with their query.
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/domain/ids.ts';
import type { Review, ReviewOf } from '../../src/domain/review.ts';
import { AT } from './rows.ts';
import { type StoreUnderTest, useStore } from './store-under-test.ts';

const aQuestion = (
  query_id: string,
  given: Partial<ReviewOf<'question'>> = {},
): ReviewOf<'question'> => ({
  ...{ review_id: uuidv7(), kind: 'question', query_id, task_id: null, agent_id: null },
  ...{ role: 'main', path: ['main agent'], context: '시계', status: 'pending', blocking: true },
  ...{ request: { question: 'Which?', options: ['a', '나'] }, decision: null },
  ...{ run_id: null, call_id: null, created_at: AT, expires_at: AT },
  ...{ decided_at: null, decided_by: null, ...given },
});
const anApproval = (query_id: string, subject: string): ReviewOf<'approval'> => ({
  ...aQuestion(query_id),
  kind: 'approval',
  request: { action: 'x', detail: '', subject },
  decision: null,
});

export function reviewContract(create: () => Promise<StoreUnderTest>): void {
  const under = useStore(create);
  const insert = (...rows: Review[]) =>
    under.store.tx(async (t) => {
      for (const row of rows) await t.reviews.insert(row);
    });
  const ids = (rows: Review[]) => rows.map((r) => r.review_id);
  const close = (review_id: string, decision: Review['decision']) =>
    under.store.tx((t) =>
      t.reviews.close(review_id, {
        ...{ status: 'decided', decision, decided_at: AT, decided_by: 'me' },
      }),
    );

  describe('reviews', () => {
    it('gives them back as they were, by id and by the call that asks, also after a restart', async () => {
      const { query_id } = await under.insertQuery();
      const row = aQuestion(query_id, { run_id: 'r', call_id: 'c', blocking: false });
      await insert(row);
      const { reviews } = (await under.reopen()).reads;
      expect(await reviews.get(row.review_id)).toEqual(row);
      expect(await reviews.byCall('r', 'c')).toEqual(row);
      expect(await reviews.byCall('r', 'd')).toBeNull();
    });

    it('lets one call ask once', async () => {
      const { query_id } = await under.insertQuery();
      await insert(aQuestion(query_id, { run_id: 'r', call_id: 'c' }));
      await expect(insert(aQuestion(query_id, { run_id: 'r', call_id: 'c' }))).rejects.toThrow();
    });

    it('closes one once, and lists by status, kind and query', async () => {
      const [a, b] = [await under.insertQuery(), await under.insertQuery()];
      const rows = [aQuestion(a.query_id), aQuestion(b.query_id), anApproval(b.query_id, 's')];
      await insert(...rows);
      const [one, two, three] = ids(rows);
      expect(await close(two as string, { answer: 'a', option: 1 })).toBe(true);
      expect(await close(two as string, { answer: 'b', option: null })).toBe(false);
      const { reviews } = under.store.reads;
      expect((await reviews.get(two as string))?.decision).toEqual({ answer: 'a', option: 1 });
      const list = async (ask: object) =>
        ids((await reviews.list({ limit: 50, cursor: null, ...ask })).data);
      expect(await list({})).toEqual([three, two, one]);
      expect(await list({ status: 'pending' })).toEqual([three, one]);
      expect(await list({ kind: 'question' })).toEqual([two, one]);
      expect(await list({ kind: 'question', status: 'decided' })).toEqual([two]);
      expect(await list({ query_id: b.query_id, status: 'pending' })).toEqual([three]);
      expect(ids(await reviews.pending())).toEqual([one, three]);
      expect(ids(await reviews.pending(b.query_id))).toEqual([three]);
    });

    it('knows what was approved for the rest of a query', async () => {
      const { query_id } = await under.insertQuery();
      const once = anApproval(query_id, 'push');
      const session = anApproval(query_id, 'format');
      await insert(once, session);
      await close(once.review_id, { decision: 'once', reason: null });
      await close(session.review_id, { decision: 'session', reason: null });
      const { reviews } = under.store.reads;
      expect((await reviews.granted(query_id, 'format'))?.review_id).toBe(session.review_id);
      expect(await reviews.granted(query_id, 'push')).toBeNull();
      expect(await reviews.granted('other', 'format')).toBeNull();
    });

    it('go with their query', async () => {
      const { query_id } = await under.insertQuery({ status: 'completed' });
      const row = aQuestion(query_id, { status: 'withdrawn' });
      await insert(row);
      await under.store.tx((t) => t.retention.removeQueries([query_id], '2027-01-01T00:00:00Z'));
      expect(await under.store.reads.reviews.get(row.review_id)).toBeNull();
    });
  });
}
