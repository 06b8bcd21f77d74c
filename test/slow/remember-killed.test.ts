// kill -9 of main in each moment between the last result and the answer: one remember task, one review, one decision.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import {
  approve,
  ask,
  ended,
  found,
  pending,
  queryOf,
  reviewsOf,
  tasksOf,
  world,
} from '../support/remember-world.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const remembering = (troupe: Troupe, id: string) =>
  until(
    async () => {
      const path = `/v1/tasks?query_id=${id}&role=remember`;
      const { data } = await troupe.call<{ data: { status: string }[] }>('GET', path);
      return data[0]?.status === 'running';
    },
    40_000,
    'the remember task runs',
  );

describe.each(['wait', 'defer'] as const)('review: %s', { timeout: 120_000 }, (review) => {
  /** To the end, on a server that goes on with the folder of one that was killed. */
  async function finish(troupe: Troupe, query_id: string): Promise<void> {
    const { review_id } = await pending(troupe, query_id);
    const open = review === 'wait';
    expect(['waiting', 'running'].includes((await queryOf(troupe, query_id)).status)).toBe(open);
    await approve(troupe, review_id);
    const { answer } = await ended(troupe, query_id);
    expect(answer).toBe(open ? 'Final answer after the decision.' : 'Built.');
    expect(await reviewsOf(troupe)).toHaveLength(1);
    expect(await tasksOf(troupe, query_id)).toEqual(['coder', 'remember']);
    expect(await found(troupe, 'orders cancelled invoices')).toHaveLength(1);
  }

  it('while the remember task works: it goes on, and there is no second one', async () => {
    const { env } = await world({ silent: 1 });
    const first = await startTroupe({ env });
    const { query_id } = await ask(first, { review });
    await remembering(first, query_id);
    if (review === 'defer') await ended(first, query_id);
    await first.kill();
    await finish(await startTroupe({ env, folder: first.folder }), query_id);
  });

  it('when the proposals are made and not in the inbox yet: they come into it', async () => {
    const { env } = await world();
    const first = await startTroupe({ env });
    const { query_id } = await ask(first, { review });
    await pending(first, query_id);
    if (review === 'defer') await ended(first, query_id);
    await first.kill();
    // As it was a moment before: the unit that opens the review takes the round further.
    const db = new Database(join(first.folder, 'troupe.db'));
    db.exec("DELETE FROM reviews; UPDATE remember_rounds SET state = 'asked', review_id = NULL");
    db.exec("UPDATE queries SET status = 'running' WHERE status = 'waiting'");
    db.close();
    await finish(await startTroupe({ env, folder: first.folder }), query_id);
  });

  it('while a person has not decided: the review waits on', async () => {
    const { env } = await world();
    const first = await startTroupe({ env });
    const { query_id } = await ask(first, { review });
    const { review_id } = await pending(first, query_id);
    await first.kill();
    const second = await startTroupe({ env, folder: first.folder });
    expect((await pending(second, query_id)).review_id).toBe(review_id);
    await finish(second, query_id);
  });
});

it('when a person has decided and the answer is not made yet: it is made, and the decision is told once', {
  timeout: 120_000,
}, async () => {
  const { env, provider } = await world();
  const first = await startTroupe({ env });
  const { query_id } = await ask(first, { review: 'wait' });
  const { review_id } = await pending(first, query_id);
  await approve(first, review_id);
  await first.kill();
  const second = await startTroupe({ env, folder: first.folder });
  expect((await ended(second, query_id)).answer).toBe('Final answer after the decision.');
  expect(
    (await second.ask('POST', `/v1/reviews/${review_id}`, { decision: 'reject' })).status,
  ).toBe(409);
  const said = provider.requests.map(
    ({ messages }) => messages.filter((m) => m.content?.includes('A person has decided')).length,
  );
  expect(Math.max(...said)).toBe(1);
  expect(await found(second, 'orders cancelled invoices')).toHaveLength(1);
});
