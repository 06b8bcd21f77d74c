// Rounds of proposals and what was rejected: one round for a turn, settled once; rejections outlive their query.
import { describe, expect, it } from 'vitest';
import { newLoopId } from '../../src/domain/ids.ts';
import { REJECTIONS_KEPT, type RememberRound } from '../../src/domain/memory-ports.ts';
import { AT } from './rows.ts';
import { type StoreUnderTest, useStore } from './store-under-test.ts';

export function rememberContract(create: () => Promise<StoreUnderTest>): void {
  const under = useStore(create);
  const aRound = (query_id: string): RememberRound => ({
    ...{ run_id: newLoopId(), query_id, task_id: 't1', review: 'wait', state: 'asked' },
    ...{ review_id: null, reason: null, created_at: AT },
  });
  const insert = (round: RememberRound) => under.store.tx((t) => t.remember.insertRound(round));
  const reject = (project: string, path: string) =>
    under.store.tx((t) =>
      t.remember.reject({ project, path, essence: 'e', reason: null, rejected_at: AT }),
    );

  describe('rounds of proposals', () => {
    it('are one for a turn, and are settled once', async () => {
      const { query_id } = await under.insertQuery();
      const round = aRound(query_id);
      await insert(round);
      await expect(insert({ ...round, task_id: 't2' })).rejects.toThrow();
      const { remember } = under.store.reads;
      expect(await remember.round(round.run_id)).toEqual(round);
      expect(await remember.open()).toEqual([round]);
      const to = { state: 'proposed' as const, review_id: 'r1', reason: null };
      const settle = () => under.store.tx((t) => t.remember.settle(round.run_id, to));
      expect(await settle()).toBe(true);
      expect(await settle()).toBe(false);
      expect(await remember.open()).toEqual([]);
      const later = aRound(query_id);
      await insert(later);
      const reopened = await under.reopen();
      expect(await reopened.reads.remember.ofQuery(query_id)).toEqual([{ ...round, ...to }, later]);
    });

    it('go with their query; what was rejected stays, by project, the latest of it', async () => {
      const { query_id } = await under.insertQuery({ status: 'completed' });
      await insert(aRound(query_id));
      await reject('blog', 'b.md');
      for (let i = 0; i < REJECTIONS_KEPT + 3; i += 1) await reject('shop', `${i}.md`);
      await under.store.tx((t) =>
        t.retention.removeQueries([query_id], '2100-01-01T00:00:00.000Z'),
      );
      const { remember } = under.store.reads;
      expect(await remember.ofQuery(query_id)).toEqual([]);
      const kept = await remember.rejected('shop');
      expect([kept.length, kept[0]?.path, kept.at(-1)?.path]).toEqual([
        ...[REJECTIONS_KEPT, `${REJECTIONS_KEPT + 2}.md`, '3.md'],
      ]);
      expect((await remember.rejected('blog')).map((r) => r.path)).toEqual(['b.md']);
    });
  });
}
