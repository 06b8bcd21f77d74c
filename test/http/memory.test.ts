import { afterAll, beforeAll, expect, it } from 'vitest';
import { aNote, aRecord } from './fake-memory.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
const lastCall = () => world.calls.at(-1);

it('lists records by layer (or a short name of it), status and project', async () => {
  const answer = await world.get('/v1/memory?layer=user&status=superseded&project=shop&limit=5');
  expect(await answer.json()).toEqual({ data: [aRecord], next_cursor: null });
  expect(lastCall()).toEqual({
    name: 'listMemory',
    args: [
      { limit: 5, cursor: null, layer: 'user/profile', status: 'superseded', project: 'shop' },
    ],
  });
});

it('searches with q, over every project unless one is named', async () => {
  await world.get('/v1/memory?q=%E8%8C%B6');
  expect(lastCall()?.args).toEqual(['茶', { project: null, layer: null }, 50]);
  await world.get('/v1/memory?q=tea&project=shop&layer=domain&limit=3');
  expect(lastCall()?.args).toEqual(['tea', { project: 'shop', layer: 'domain/knowledge' }, 3]);
  expect((await world.get('/v1/memory?q=tea&status=superseded')).status).toBe(400);
});

it('stores once per idempotency key and says where its history is', async () => {
  const body = { content: 'likes tea', layer: 'user' };
  const key = { 'idempotency-key': 'one' };
  const first = await world.post('/v1/memory', body, key);
  expect(first.status).toBe(201);
  expect(first.headers.get('location')).toBe(`/v1/memory/${aRecord.record_id}/history`);
  expect(lastCall()?.args).toEqual([{ ...body, tags: [], project: 'default' }]);
  const asked = world.calls.length;
  const again = await world.post('/v1/memory', body, key);
  expect([again.status, await again.json()]).toEqual([201, await first.json()]);
  expect(world.calls).toHaveLength(asked);
  expect((await world.post('/v1/memory', { ...body, layer: 'domain' }, key)).status).toBe(422);
});

it('corrects a record and shows how it came to be', async () => {
  const path = `/v1/memory/${aRecord.record_id}`;
  const made = await world.post(`${path}/correct`, { replacement: 'coffee', reason: 'said so' });
  expect([made.status, await made.json()]).toEqual([201, { ...aRecord, content: 'coffee' }]);
  const history = await (await world.get(`${path}/history`)).json();
  expect(history).toEqual({ data: [{ ...aRecord, reason: null }] });
  expect((await world.post('/v1/memory/mem_1/correct', { replacement: 'x' })).status).toBe(404);
  expect((await world.get('/v1/memory/mem_1/history')).status).toBe(404);
});

it.each([
  [{ content: 'x' }],
  [{ content: ' ', layer: 'user' }],
  [{ content: 'x'.repeat(4_001), layer: 'user' }],
  [{ content: 'x', layer: 'user', scope: 'y' }],
  [{ content: 'x', layer: 'user', tags: 'y' }],
])('refuses %j', async (body) => {
  expect((await world.post('/v1/memory', body)).status).toBe(400);
});

it('names the layers when one is not known', async () => {
  const answer = await world.get('/v1/memory?layer=users');
  const problem = (await answer.json()) as { detail: string };
  expect(answer.status).toBe(400);
  expect(problem.detail).toContain('user/profile, project/context, domain/knowledge');
});

it('shows the notes of a query, of one branch when asked', async () => {
  const answer = await world.get(`/v1/queries/${aNote.query_id}/brain?branch=main&limit=2`);
  expect(await answer.json()).toEqual({ data: [aNote], next_cursor: null });
  expect(lastCall()?.args).toEqual([aNote.query_id, { limit: 2, cursor: null, branch: 'main' }]);
});
