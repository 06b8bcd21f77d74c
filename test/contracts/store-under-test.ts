// One store per test, given back after it.
import { afterEach, beforeEach } from 'vitest';
import type { Store } from '../../src/domain/ports.ts';
import type { Query } from '../../src/domain/query.ts';
import { aQuery } from './rows.ts';

export type StoreUnderTest = {
  store: Store;
  /** The same data through a new store; the one before is closed first. */
  reopen(): Promise<Store>;
  dispose(): Promise<void>;
};

export function useStore(create: () => Promise<StoreUnderTest>) {
  let current: StoreUnderTest;
  beforeEach(async () => {
    current = await create();
  });
  afterEach(() => current.dispose());
  return {
    get store() {
      return current.store;
    },
    reopen: () => current.reopen(),
    async insertQuery(given: Partial<Query> = {}) {
      const query = aQuery(given);
      await current.store.tx((t) => t.queries.insert(query));
      return query;
    },
  };
}
