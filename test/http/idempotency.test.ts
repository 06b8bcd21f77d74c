import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { systemClock } from '../../src/domain/ports.ts';
import { canonical } from '../../src/http/idempotency.ts';
import { createIdempotency } from '../../src/http/idempotency-rows.ts';
import { openTemp } from '../store/support.ts';
import { apiKey, startWorld, type World } from './world.ts';

let world: World;
let hold: Promise<void> | null = null;
let fail = false;
beforeAll(async () => {
  world = await startWorld({
    config: { api_keys: [apiKey('one', 'key-1', ['admin']), apiKey('two', 'key-2', ['admin'])] },
    change({ services }) {
      const { start } = services.tasks;
      services.tasks.start = async (input, also) => {
        await hold;
        if (fail) throw new AppError('queue_full', 'the queue is full');
        return start(input, also);
      };
    },
  });
});
afterAll(() => world.close());

const body = { subagent_type: 'coder', description: 'once' };
const post = (key: string, what: unknown = body, apiKeyText = 'key-1', path = '/v1/tasks') =>
  world.post(path, what, { 'idempotency-key': key, 'x-api-key': apiKeyText });
const starts = () => world.calls.filter((c) => c.name === 'start').length;

describe('Idempotency-Key', () => {
  it('does the work once and gives the same answer again', async () => {
    const before = starts();
    const first = await post('a-1');
    const again = await post('a-1', { description: 'once', subagent_type: 'coder' });
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(await again.json()).toEqual(await first.json());
    expect(starts()).toBe(before + 1);
  });
  it('is written with the acceptance, not after it', async () => {
    const answer = await post('a-2');
    const row = [...world.idempotencyRows.values()].find((r) => r.key === 'a-2');
    expect(JSON.parse(row?.response ?? '')).toEqual(await answer.json());
    expect(row).toMatchObject({ api_key: 'one', route: 'POST /v1/tasks', status: 202 });
  });
  it('with another body is 422', async () => {
    await post('a-3');
    const other = await post('a-3', { ...body, description: 'twice' });
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ code: 'idempotency_mismatch' });
  });
  it('belongs to one API key and one route', async () => {
    const first = await post('a-4');
    const second = await post('a-4', body, 'key-2');
    expect(second.headers.get('idempotency-replayed')).toBeNull();
    const { task_id } = (await first.json()) as { task_id: string };
    const message = await post('a-4', { text: 'hi' }, 'key-1', `/v1/tasks/${task_id}/messages`);
    expect(message.status).toBe(202);
  });
  it('in progress is 409: two requests in one tick are one piece of work', async () => {
    let open = () => {};
    hold = new Promise((resolve) => {
      open = resolve;
    });
    const before = starts();
    const racing = Promise.all(
      [post('a-5'), post('a-5')].map(async (p) => {
        const answer = await p;
        // The refused one comes first: only then may the other go on.
        open();
        return answer.status;
      }),
    );
    expect((await racing).sort()).toEqual([202, 409]);
    hold = null;
    expect(starts()).toBe(before + 1);
    expect((await post('a-5')).headers.get('idempotency-replayed')).toBe('true');
  });
  it('is free again when nothing was accepted', async () => {
    fail = true;
    const refused = await post('a-6');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    fail = false;
    expect((await post('a-6')).status).toBe(202);
  });
  it('holds for messages, too', async () => {
    const { task_id } = (await (await post('a-7')).json()) as { task_id: string };
    const path = `/v1/tasks/${task_id}/messages`;
    const said = () => world.calls.filter((c) => c.name === 'message').length;
    const before = said();
    const first = await post('m-1', { text: 'hi' }, 'key-1', path);
    const again = await post('m-1', { text: 'hi' }, 'key-1', path);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await again.json()).toEqual(await first.json());
    expect(said()).toBe(before + 1);
  });
  it.each(['', 'x'.repeat(256), 'with space'])('that is none is 400: "%s"', async (key) => {
    expect((await post(key)).status).toBe(400);
  });
});

describe('canonical JSON', () => {
  it('does not depend on the order of fields, but on everything else', () => {
    expect(canonical({ b: [1, { d: null, c: 'x' }], a: true })).toBe(
      canonical({ a: true, b: [1, { c: 'x', d: null }] }),
    );
    expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
    expect(canonical({ a: '1' })).not.toBe(canonical({ a: 1 }));
  });
});

describe('rows in the database', () => {
  it('stand and fall with the acceptance', async () => {
    await using opened = await openTemp();
    const { store } = opened;
    const ask = { api_key: '', route: 'POST /v1/tasks', key: 'k', body_hash: 'h' };
    const event = { kind: 'notice', state: 'accepted' } as const;
    const begin = () => createIdempotency({ store, clock: systemClock }).begin(ask);
    const claimed = async () => {
      const begun = await begin();
      if (begun.found !== 'new') throw new Error(begun.found);
      return begun.claim;
    };
    const answer = () => ({ status: 202, response: '{"a":1}' });
    const failing = (await claimed()).run(
      (also) =>
        store.tx(async (t) => {
          await t.events.append(event);
          await also(t, null);
          throw new AppError('queue_full', 'full');
        }),
      answer,
    );
    await expect(failing).rejects.toThrow('full');
    expect(await store.reads.events.last()).toBe(0);
    await (await claimed()).run(
      (also) =>
        store.tx(async (t) => {
          await t.events.append(event);
          await also(t, null);
        }),
      answer,
    );
    // Another process finds it: nothing of this is in memory only.
    expect(await begin()).toEqual({ found: 'answer', answer: answer() });
    const later = { ...systemClock, now: () => new Date(Date.now() + 25 * 60 * 60 * 1000) };
    const nextDay = createIdempotency({ store, clock: later });
    expect((await nextDay.begin(ask)).found).toBe('new');
    await nextDay.prune();
    expect((await begin()).found).toBe('new');
  });
});
