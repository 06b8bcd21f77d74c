// Pages: every row once, newest first, whatever happens between two of them.
import { describe, expect, it } from 'vitest';
import type { Page, PageAsk } from '../../src/domain/ports.ts';
import { aQuery } from './rows.ts';
import { type StoreUnderTest, useStore } from './store-under-test.ts';

const all = (limit: number): PageAsk => ({ limit, cursor: null });

/** Reads page after page; the page size is small so that there are several. */
async function everyPage<T>(
  read: (ask: PageAsk) => Promise<Page<T>>,
  limit: number,
): Promise<T[][]> {
  const pages: T[][] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Page<T> = await read({ limit, cursor });
    pages.push(page.data);
    if (page.next_cursor === null) return pages;
    cursor = page.next_cursor;
  }
}

export function pageContract(create: () => Promise<StoreUnderTest>): void {
  const under = useStore(create);

  describe('pages', () => {
    it('walks all rows once, newest first, though they share one time', async () => {
      const ids: string[] = [];
      await under.store.tx(async (t) => {
        for (let i = 0; i < 7; i += 1) {
          const query = aQuery({ status: i % 2 ? 'failed' : 'queued' });
          ids.unshift(query.query_id);
          await t.queries.insert(query);
        }
      });
      const pages = await everyPage((ask) => under.store.reads.queries.list(ask), 3);
      expect(pages.map((p) => p.length)).toEqual([3, 3, 1]);
      expect(pages.flat().map((q) => q.query_id)).toEqual(ids);
      const failed = await everyPage(
        (ask) => under.store.reads.queries.list({ ...ask, status: 'failed' }),
        2,
      );
      expect(failed.flat().map((q) => q.query_id)).toEqual(ids.filter((_, i) => i % 2));
    });

    it('does not repeat or miss a row when new ones arrive in between', async () => {
      const old = [await under.insertQuery(), await under.insertQuery(), await under.insertQuery()];
      const first = await under.store.reads.queries.list(all(2));
      await under.insertQuery();
      const second = await under.store.reads.queries.list({ limit: 2, cursor: first.next_cursor });
      expect([...first.data, ...second.data].map((q) => q.query_id)).toEqual(
        old.map((q) => q.query_id).reverse(),
      );
      expect(second.next_cursor).toBeNull();
    });

    it.each(['', 'x', '%%', 'eyJhIjoxfQ', 'YmVmb3JlOjE=', 'YmVmb3JlOi0x'])(
      'refuses the cursor %j',
      async (cursor) => {
        await expect(under.store.reads.tasks.list({ limit: 5, cursor })).rejects.toMatchObject({
          code: 'bad_request',
        });
      },
    );

    it.each([0, -1, 1.5, 1001, Number.NaN])('refuses the limit %d', async (limit) => {
      await expect(under.store.reads.queries.list(all(limit))).rejects.toMatchObject({
        code: 'bad_request',
      });
    });
  });
}
