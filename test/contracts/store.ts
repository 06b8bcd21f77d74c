// What every store must do, whatever is behind it. An adapter's test calls this with a factory.
import { describe } from 'vitest';
import { memoryContract } from './store-memory.ts';
import { nounContract } from './store-nouns.ts';
import { pageContract } from './store-pages.ts';
import { recordContract } from './store-records.ts';
import { rememberContract } from './store-remember.ts';
import { retentionContract } from './store-retention.ts';
import { reviewContract } from './store-reviews.ts';
import { spendContract } from './store-spend.ts';
import type { StoreUnderTest } from './store-under-test.ts';
import { unitContract } from './store-units.ts';

/** `create`: a store whose clock stands still at AT, so that many rows share one time. */
export function storeContract(name: string, create: () => Promise<StoreUnderTest>): void {
  describe(`store contract: ${name}`, () => {
    unitContract(create);
    pageContract(create);
    nounContract(create);
    recordContract(create);
    memoryContract(create);
    reviewContract(create);
    rememberContract(create);
    retentionContract(create);
    spendContract(create);
  });
}
