import { expect, it, onTestFinished } from 'vitest';
import { createQueriesWorld } from '../support/queries-world.ts';
import { tempFolder } from '../support/temp-folder.ts';

it('a turn that breaks off where it should not leaves its query failed, not running for ever', async () => {
  const world = createQueriesWorld(tempFolder(), async () => 'answer');
  onTestFinished(() => world.close());
  const { store } = world;
  const read = store.reads.tasks.ofQuery;
  store.reads.tasks.ofQuery = async (query_id) => {
    store.reads.tasks.ofQuery = read;
    throw new Error(`a defect, met while ${query_id} ends`);
  };
  const { query_id } = await world.queries.create({ input: 'do it' });
  const query = await world.ended(query_id);
  expect(query).toMatchObject({ status: 'failed', error: { code: 'internal' } });
  // What broke is for the log; the user is not shown the inside of the program.
  expect(query.error?.message).not.toContain('a defect');
  expect(world.queries.counts()).toMatchObject({ running: 0, queued: 0 });
  expect((await store.reads.loops.ofQuery(query_id)).map((l) => l.status)).toEqual(['failed']);
  await world.queries.message(query_id, 'again');
  expect(await world.ended(query_id)).toMatchObject({ status: 'completed', answer: 'answer' });
});
