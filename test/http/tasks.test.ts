import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskView } from '../../src/http/views.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ config: { limits: { wait_ms: 60_000 } } });
});
afterAll(() => world.close());

const newTask = { subagent_type: 'coder', description: 'Write hello.py' };
const start = async (headers: Record<string, string> = {}) => {
  const answer = await world.post('/v1/tasks', newTask, headers);
  return { answer, task: (await answer.json()) as TaskView };
};
const last = () => world.calls.at(-1)?.args;

describe('starting', () => {
  it('answers 202 with a Location that shows the task', async () => {
    const { answer, task } = await start();
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe(`/v1/tasks/${task.task_id}`);
    const shown = (await (await world.get(`/v1/tasks/${task.task_id}`)).json()) as TaskView;
    expect(shown).toMatchObject({ ...newTask, task_id: task.task_id, status: 'created' });
    expect(shown.attempts[0]).toMatchObject({ role: 'coder', ordinal: 1, ended_at: null });
    expect(shown).not.toHaveProperty('delivered_at');
  });
  it('with Prefer: wait gives the end as 200', async () => {
    const before = world.log.length;
    const pending = start({ prefer: 'respond-async, wait=30' });
    const id = await until(() => world.log[before]?.task_id ?? null, 5_000, 'the task to be there');
    world.moveTask(id, 'completed', 'done');
    const { answer, task } = await pending;
    expect(answer.status).toBe(200);
    expect(answer.headers.get('preference-applied')).toBe('wait=30');
    expect(task).toMatchObject({ status: 'completed', result: 'done' });
  });
  it('with Prefer: wait answers 202 when it has not ended by then', async () => {
    const { answer, task } = await start({ prefer: 'wait=1' });
    expect(answer.status).toBe(202);
    expect(task.status).toBe('created');
  });
  it.each(['wait=abc', 'wait', 'handling=lenient', 'wait=-3'])(
    'ignores Prefer: %s, which says nothing',
    async (prefer) => {
      const { answer } = await start({ prefer });
      expect(answer.status).toBe(202);
      expect(answer.headers.get('preference-applied')).toBeNull();
    },
  );
  it('a caller that hangs up leaves no wait behind, and the task goes on', async () => {
    const caller = new AbortController();
    const { task } = await start();
    const waiting = fetch(`${world.url}/v1/tasks/${task.task_id}?wait_ms=60000`, {
      signal: caller.signal,
    }).catch(() => 'gone');
    await until(() => world.waiters() > 0, 5_000, 'the wait to begin');
    caller.abort();
    expect(await waiting).toBe('gone');
    await until(() => world.waiters() === 0, 5_000, 'the wait to end');
    expect((await world.get(`/v1/tasks/${task.task_id}`)).status).toBe(200);
  });
});

describe('a task', () => {
  it('can be waited for', async () => {
    const { task } = await start();
    const waiting = world.get(`/v1/tasks/${task.task_id}?wait_ms=30000`);
    await until(() => world.waiters() > 0, 5_000, 'the wait to begin');
    world.moveTask(task.task_id, 'completed', 'ok');
    expect(await (await waiting).json()).toMatchObject({ status: 'completed', result: 'ok' });
  });
  it('refuses waits that are too long or no number', async () => {
    for (const ms of ['60001', '-1', 'soon'])
      expect((await world.get(`/v1/tasks/x?wait_ms=${ms}`)).status).toBe(400);
  });
  it('is steered by default; other modes are named', async () => {
    const { task } = await start();
    const path = `/v1/tasks/${task.task_id}/messages`;
    const steered = await world.post(path, { text: 'faster' });
    expect(steered.status).toBe(202);
    expect(await steered.json()).toMatchObject({
      delivery: 'delivered',
      task: { task_id: task.task_id },
    });
    expect(last()).toEqual([task.task_id, 'faster', 'steer']);
    await world.post(path, { text: 'later', mode: 'enqueue' });
    expect(last()).toEqual([task.task_id, 'later', 'enqueue']);
    expect((await world.post(path, { text: 'x', mode: 'shout' })).status).toBe(400);
    expect((await world.post(path, { text: '' })).status).toBe(400);
  });
  it('that has ended cannot be cancelled: 409 says how it ended', async () => {
    const { task } = await start();
    const path = `/v1/tasks/${task.task_id}/cancel`;
    const first = await world.post(path, { reason: 'enough' });
    expect(await first.json()).toMatchObject({ status: 'cancelled' });
    expect(last()).toEqual([task.task_id, 'enough']);
    const second = await world.post(path);
    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({ code: 'conflict', data: { status: 'cancelled' } });
  });
  it('can be tried again', async () => {
    const { task } = await start();
    world.moveTask(task.task_id, 'failed');
    const again = await world.post(`/v1/tasks/${task.task_id}/retry`);
    expect(again.status).toBe(202);
    expect(again.headers.get('location')).toBe(`/v1/tasks/${task.task_id}`);
  });
  it('gives its text from an offset on', async () => {
    const { task } = await start();
    world.say(task.task_id, 'hello world');
    const read = async (offset: number) =>
      (await world.get(`/v1/tasks/${task.task_id}/output?offset=${offset}`)).json();
    expect(await read(0)).toMatchObject({ text: 'hello world', next_offset: 11 });
    expect(await read(6)).toMatchObject({ text: 'world', offset: 6, next_offset: 11 });
    expect(await read(99)).toMatchObject({ text: '', next_offset: 99 });
  });
});

describe('pages', () => {
  it('lead from one to the next by Link until there is none', async () => {
    const made: string[] = [];
    for (let i = 0; i < 7; i += 1) made.push((await start()).task.task_id);
    const seen: string[] = [];
    let path: string | null = '/v1/tasks?limit=3&status=created';
    while (path !== null) {
      const answer: Response = await world.get(path);
      const page = (await answer.json()) as { data: TaskView[]; next_cursor: string | null };
      expect(page.data.length).toBeLessThanOrEqual(3);
      seen.push(...page.data.map((t) => t.task_id));
      const link = answer.headers.get('link');
      expect(link === null).toBe(page.next_cursor === null);
      path = /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1] ?? null;
      if (path) expect(path).toContain('status=created');
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.slice(0, 7)).toEqual(made.reverse());
  });
  it('pass filters on and refuse a cursor that is not one', async () => {
    expect((await world.get('/v1/tasks?cursor=nonsense')).status).toBe(400);
    const page = (await (await world.get('/v1/tasks?status=cancelled')).json()) as {
      data: TaskView[];
    };
    expect(new Set(page.data.map((t) => t.status))).toEqual(new Set(['cancelled']));
  });
});
