// A message of the user is never lost: whenever it comes, the main agent is told of it once.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MainRun } from '../../src/queries/turn.ts';
import { createQueriesWorld, type Main } from '../support/queries-world.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** What the user has said that is on the thread, and what the turn has taken besides. */
const heard = async (store: ReturnType<typeof createQueriesWorld>['store'], run: MainRun) => {
  const { messages } = await store.reads.checkpoints.thread(run.query.query_id);
  return messages.filter((m) => m.role === 'user').map((m) => m.content);
};

function open(folder: string, main: Main) {
  const world = createQueriesWorld(folder, main);
  onTestFinished(() => world.close());
  return world;
}

describe('a message to a query', () => {
  it('that comes while the turn ends begins the next one', async () => {
    let turns = 0;
    const answers: string[][] = [];
    const world = open(tempFolder(), async (run) => {
      turns += 1;
      answers.push(await heard(world.store, run));
      if (turns > 1) return 'second answer';
      // The loop has asked for the last time, and is about to hand in its answer.
      expect(run.steering.close()).toBe(true);
      run.steering.end();
      await world.queries.message(run.query.query_id, 'one more thing');
      expect(run.steering.take()).toEqual([]);
      return 'first answer';
    });
    const { query_id } = await world.queries.create({ input: 'do it' });
    expect(await world.ended(query_id)).toMatchObject({
      status: 'completed',
      answer: 'second answer',
    });
    expect(answers).toEqual([['do it'], ['do it', 'one more thing']]);
    const events = await world.store.reads.events.after(0, { query_id, kinds: ['query'] }, 100);
    expect(events.map((e) => e.state)).toEqual(['queued', 'running', 'running', 'completed']);
  });

  it('that the turn takes is told once and makes no further turn', async () => {
    const taken: string[] = [];
    let turns = 0;
    const world = open(tempFolder(), async (run) => {
      turns += 1;
      await world.queries.message(run.query.query_id, 'left');
      await world.queries.message(run.query.query_id, 'right');
      taken.push(...run.steering.take());
      return 'answer';
    });
    const { query_id } = await world.queries.create({ input: 'do it' });
    expect((await world.ended(query_id)).status).toBe('completed');
    expect(taken).toEqual(['left', 'right']);
    expect(turns).toBe(1);
  });

  it('two at once to an ended query are both answered, in one turn or two', async () => {
    const seen = new Set<string>();
    const world = open(tempFolder(), async (run) => {
      for (const text of [...(await heard(world.store, run)), ...run.steering.take()])
        seen.add(text);
      return 'answer';
    });
    const { query_id } = await world.queries.create({ input: 'do it' });
    await world.ended(query_id);
    await Promise.all(['a', 'b', 'c'].map((text) => world.queries.message(query_id, text)));
    await until(() => seen.size === 4, 5_000, 'all messages have been heard');
    expect((await world.ended(query_id)).status).toBe('completed');
  });

  it('that was acknowledged survives the death of main, and what was taken is not told again', async () => {
    const folder = tempFolder();
    let said = 0;
    const before = createQueriesWorld(folder, async (run) => {
      await until(() => said === 1, 5_000, 'the first message');
      const messages = run.steering.take().map((content) => ({ role: 'user' as const, content }));
      await run.host.step({ step: 1, messages, delivered: [] }, []);
      said = 2;
      return new Promise((_, reject) =>
        run.signal.addEventListener('abort', () => reject(run.signal.reason)),
      );
    });
    const { query_id } = await before.queries.create({ input: 'do it' });
    await until(
      async () => (await before.queries.get(query_id)).status === 'running',
      5_000,
      'runs',
    );
    await before.queries.message(query_id, 'first');
    said = 1;
    await until(() => said === 2, 5_000, 'it has been taken');
    await before.queries.message(query_id, 'second');
    await before.close();

    const after = open(folder, async (run) => run.steering.take().join());
    await after.queries.recover();
    expect(await after.ended(query_id)).toMatchObject({ status: 'completed', answer: 'second' });
  });

  it('does not keep a query alive that is cancelled while its turn ends', async () => {
    let turns = 0;
    const cancelled: Promise<unknown>[] = [];
    const world = open(tempFolder(), async (run) => {
      turns += 1;
      if (turns > 1) return 'nobody wants this';
      run.steering.end();
      await world.queries.message(run.query.query_id, 'one more thing');
      setImmediate(() => cancelled.push(world.queries.cancel(run.query.query_id, 'enough')));
      return 'answer';
    });
    const { query_id } = await world.queries.create({ input: 'do it' });
    await until(() => cancelled.length === 1, 5_000, 'the cancel');
    const [cancel] = await Promise.allSettled(cancelled);
    const query = await world.ended(query_id);
    // Either it came in time, or it says truthfully that the query had ended.
    expect(cancel?.status === 'fulfilled' ? 'cancelled' : 'completed').toBe(query.status);
    expect(world.queries.counts()).toMatchObject({ running: 0, queued: 0 });
  });

  it('counts the tokens of every turn', async () => {
    const usage = { input_tokens: 10, output_tokens: 5, reasoning_tokens: 0, cost_usd: null };
    const world = open(tempFolder(), async () => ({
      text: 'answer',
      usage: { ...usage, model_calls: 1 } as never,
    }));
    const { query_id } = await world.queries.create({ input: 'do it' });
    await world.ended(query_id);
    await world.queries.message(query_id, 'again');
    expect((await world.ended(query_id)).usage).toMatchObject({ input_tokens: 20, model_calls: 2 });
  });
});
