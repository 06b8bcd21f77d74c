// A person is asked from deep in the tree, on the built product: the question stays the same one, whatever dies or is
// stopped while it waits, and its answer resumes the agent that asked.
import { describe, expect, it } from 'vitest';
import type { Review } from '../../src/domain/review.ts';
import { builtCli } from '../support/built-cli.ts';
import { startTroupe, type TaskView, type Troupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

type QueryView = { query_id: string; status: string; answer: string | null; waiting_for: string[] };
const tool = (name: string, args: object): string => `[[tool ${name} ${JSON.stringify(args)}]]`;
const hand = (subagent_type: string, description: string): string =>
  tool('start_async_task', { subagent_type, description });

const pending = async (troupe: Troupe): Promise<Review[]> =>
  (await troupe.call<{ data: Review[] }>('GET', '/v1/reviews?status=pending')).data;
const askedOnes = (troupe: Troupe, n: number) =>
  until(
    async () => {
      const found = await pending(troupe);
      return found.length === n && found;
    },
    40_000,
    `${n} questions`,
  );
const query = (troupe: Troupe, input: string) =>
  troupe.call<QueryView>('POST', '/v1/queries', { input, review: 'wait' });
const becomes = (troupe: Troupe, id: string, status: string) =>
  until(
    async () => {
      const now = await troupe.call<QueryView>('GET', `/v1/queries/${id}`);
      return now.status === status && now;
    },
    40_000,
    `the query is ${status}`,
  );
const waits = (troupe: Troupe, id: string) =>
  until(async () => (await troupe.task(id)).waiting === 'human', 20_000, 'its task waits');
async function answer(troupe: Troupe, args: string[]): Promise<void> {
  const ran = await builtCli(['reviews', 'answer', ...args, '--url', troupe.url]);
  expect(ran).toMatchObject({ code: 0, err: '' });
}

const DISTURB: Record<string, (troupe: Troupe) => Promise<Troupe>> = {
  async 'main is killed with -9'(troupe) {
    await troupe.kill();
    return startTroupe({ folder: troupe.folder });
  },
  async 'main is stopped and started again'(troupe) {
    expect((await troupe.stop()).code).toBe(0);
    return startTroupe({ folder: troupe.folder });
  },
  async 'its role server is killed with -9'(troupe) {
    const server = (await troupe.servers()).find(({ role }) => role === 'researcher');
    process.kill(server?.pid ?? 0, 'SIGKILL');
    const [review] = await pending(troupe);
    const state = async () => (await troupe.task(review?.task_id ?? '')).status;
    await until(async () => (await state()) === 'assigned', 20_000, 'its run is lost');
    return troupe;
  },
};

describe('a question from the third level of the tree', { timeout: 120_000 }, () => {
  for (const [what, disturb] of Object.entries(DISTURB))
    it(`is the same one after ${what}, and its answer resumes the agent`, async () => {
      const first = await startTroupe();
      const question = tool('ask_user', {
        question: 'Which database?',
        options: ['SQLite', 'none'],
      });
      const input = hand('planner', hand('researcher', `${question} found`));
      const { query_id } = await query(first, input);
      const [review] = (await askedOnes(first, 1)) as [Review];
      expect(review).toMatchObject({
        path: ['main agent', 'planner agent #1', 'researcher agent #1'],
        request: { question: 'Which database?', options: ['SQLite', 'none'] },
        query_id,
      });
      const task_id = review.task_id ?? '';
      await waits(first, task_id);
      const waiting = await becomes(first, query_id, 'waiting');
      expect(waiting.waiting_for).toEqual([review.review_id]);

      const second = await disturb(first);
      expect((await askedOnes(second, 1)).map((r) => r.review_id)).toEqual([review.review_id]);
      expect(await second.task(task_id)).toMatchObject({
        waiting: 'human',
        waiting_for: [review.review_id],
      });
      await becomes(second, query_id, 'waiting');
      await answer(second, [review.review_id, '--option', '1']);
      expect(await second.ended(task_id)).toMatchObject({
        status: 'completed',
        result: 'found\nanswer (option 1): SQLite',
      });
      await becomes(second, query_id, 'completed');
      const told = (await second.events('&kinds=review')).map((e) => e.state);
      expect(told).toEqual(['pending', 'decided']);
    });
});

describe('the main agent', { timeout: 120_000 }, () => {
  it('finds its own question again after kill -9, and goes on with the answer', async () => {
    const first = await startTroupe();
    const { query_id } = await query(first, '[[interrupt]] ready');
    const [review] = (await askedOnes(first, 1)) as [Review];
    expect(review.path).toEqual(['main agent']);
    await first.kill();
    const second = await startTroupe({ folder: first.folder });
    expect((await askedOnes(second, 1)).map((r) => r.review_id)).toEqual([review.review_id]);
    await answer(second, [review.review_id, 'go on']);
    const ended = await becomes(second, query_id, 'completed');
    expect(ended.answer).toBe('ready\nanswer: go on');
    expect(await pending(second)).toEqual([]);
  });
});

describe('an agent that waits for a person', { timeout: 120_000 }, () => {
  it('leaves the only slot to others, and a question whose time passed while main was down expires', async () => {
    const env = { MAX_SUBAGENTS: '1' };
    const config = '[limits]\nreview_timeout_s = 4\n';
    const first = await startTroupe({ env, config });
    const ask = { subagent_type: 'coder', description: '[[interrupt]] went on', review: 'wait' };
    const task = await first.call<TaskView>('POST', '/v1/tasks', ask);
    await askedOnes(first, 1);
    await waits(first, task.task_id);
    const { data } = await first.call<{ data: { holds_slot: boolean }[] }>('GET', '/v1/subagents');
    expect(data.map((agent) => agent.holds_slot)).toEqual([false]);
    const other = await first.start('planner', 'meanwhile');
    expect(await first.ended(other.task_id)).toMatchObject({ result: 'meanwhile' });
    await first.kill();
    const second = await startTroupe({ env, config, folder: first.folder });
    expect(await second.ended(task.task_id)).toMatchObject({
      status: 'completed',
      result: expect.stringContaining('Nobody answered within 4 s'),
    });
    const told = (await second.events('&kinds=review')).map((e) => e.state);
    expect(told).toEqual(['pending', 'expired']);
  });
});
