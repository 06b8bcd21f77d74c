// The inbox over HTTP: pages, one review, and decisions with every way in which they are refused.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { questionRow } from './fake-reviews.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

const put = (more: Parameters<typeof questionRow>[0] = {}) => {
  const row = questionRow(more);
  world.reviews.set(row.review_id, row);
  return row;
};
const decide = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  world.post(`/v1/reviews/${id}`, body, headers);

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each looked at by its test
const bodyOf = async (answer: Promise<Response>): Promise<any> => (await answer).json();

describe('reviews over HTTP', () => {
  it('lists them and shows one, with its path and what may be decided, without the call that asks', async () => {
    const row = put();
    const decided = put({ status: 'decided', decision: { answer: 'x', option: null } });
    const { data } = await bodyOf(world.get('/v1/reviews?status=pending'));
    const { run_id: _run, call_id: _call, ...shown } = row;
    const allowed = '{"answer": "any text"}, or {"option": N} with 1 = SQLite, 2 = PostgreSQL';
    expect(data).toEqual([{ ...shown, allowed }]);
    const one = await (await world.get(`/v1/reviews/${decided.review_id}`)).json();
    expect(one).toMatchObject({ decision: { answer: 'x', option: null }, allowed: null });
    expect((await world.get('/v1/reviews/nothing')).status).toBe(404);
    expect((await world.get('/v1/reviews?status=open')).status).toBe(400);
  });

  it('decides once: 422 for what does not fit, 409 with the earlier decision', async () => {
    const { review_id } = put();
    const wrong = await decide(review_id, { option: 3 });
    expect(wrong.status).toBe(422);
    expect(await wrong.json()).toMatchObject({
      code: 'decision_invalid',
      detail: expect.stringContaining('2 = PostgreSQL'),
    });
    expect((await decide(review_id, {})).status).toBe(422);
    expect((await decide(review_id, { anwser: 'x' })).status).toBe(422);
    const right = await decide(review_id, { option: 2 });
    expect(right.status).toBe(200);
    expect(await right.json()).toMatchObject({
      status: 'decided',
      decision: { answer: 'PostgreSQL', option: 2 },
      decided_by: 'local',
    });
    const again = await decide(review_id, { option: 1 });
    expect(again.status).toBe(409);
    expect((await bodyOf(Promise.resolve(again))).data).toMatchObject({
      status: 'decided',
      decision: { answer: 'PostgreSQL', option: 2 },
    });
    expect((await decide('nothing', { option: 1 })).status).toBe(404);
  });

  it('answers a repetition with the same Idempotency-Key as it did the first time', async () => {
    const { review_id } = put();
    const key = { 'idempotency-key': 'k1' };
    const first = await (await decide(review_id, { answer: 'a' }, key)).json();
    const second = await decide(review_id, { answer: 'a' }, key);
    expect(second.status).toBe(200);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await second.json()).toEqual(first);
  });

  it('shows with a query and a task what they wait for', async () => {
    const ask = { subagent_type: 'coder', description: 'x', review: 'wait' };
    const task = await bodyOf(world.post('/v1/tasks', ask));
    const { review_id } = put({ query_id: task.query_id, task_id: task.task_id });
    const now = await bodyOf(world.get(`/v1/tasks/${task.task_id}`));
    expect(now.waiting_for).toEqual([review_id]);
    const query = await bodyOf(world.post('/v1/queries', { input: 'x', review: 'wait' }));
    expect(query).toMatchObject({ waiting_for: [], options: { review: 'wait' } });
    put({ query_id: query.query_id });
    const after = await bodyOf(world.get(`/v1/queries/${query.query_id}`));
    expect(after.waiting_for).toHaveLength(1);
    expect((await world.post('/v1/queries', { input: 'x', review: 'maybe' })).status).toBe(400);
  });
});
