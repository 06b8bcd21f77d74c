import { expect, it } from 'vitest';
import type { BrainNote } from '../../src/domain/brain.ts';
import type { MemoryRecord } from '../../src/domain/memory.ts';
import type { Query } from '../../src/domain/query.ts';
import { startTroupe, type Troupe } from '../support/troupe-server.ts';

const tool = (name: string, args: object): string => `[[tool ${name} ${JSON.stringify(args)}]]`;
const startTask = (description: string, subagent_type = 'coder'): string =>
  tool('start_async_task', { subagent_type, description });

async function ask(troupe: Troupe, input: string, more: object = {}): Promise<Query> {
  const { query_id } = await troupe.call<Query>('POST', '/v1/queries', { input, ...more });
  return troupe.call<Query>('GET', `/v1/queries/${query_id}?wait_ms=60000`);
}
const records = async (troupe: Troupe, query: string): Promise<MemoryRecord[]> =>
  (await troupe.call<{ data: MemoryRecord[] }>('GET', `/v1/memory?${query}`)).data;
const notesOf = async (troupe: Troupe, { query_id }: Query): Promise<BrainNote[]> =>
  (await troupe.call<{ data: BrainNote[] }>('GET', `/v1/queries/${query_id}/brain`)).data;

it('twenty children in processes of their own remember different facts at once; all outlive the server', {
  timeout: 120_000,
}, async () => {
  const troupe = await startTroupe();
  const fact = (i: number) => `Machine ${i} stands in rack R${i}`;
  const store = (i: number) => tool('memory_store', { content: fact(i), layer: 'project' });
  const all = Array.from({ length: 20 }, (_, i) => startTask(`${store(i)} stored`)).join(' ');
  const query = await ask(troupe, `${all} done`, { project: 'hall' });
  expect(query.status).toBe('completed');
  const stored = await records(troupe, 'limit=100&project=hall');
  expect(stored.map((r) => r.content).sort()).toEqual(
    Array.from({ length: 20 }, (_, i) => fact(i)).sort(),
  );
  expect(new Set(stored.map((r) => r.source)).size).toBe(20);
  await troupe.kill();

  const again = await startTroupe({ folder: troupe.folder });
  const look = tool('memory_search', { query: 'Where is rack R7?' });
  const seen = async (project: string): Promise<string> => {
    const { query_id } = await ask(again, startTask(`${look} looked`), { project });
    const { data } = await again.call<{ data: { task_id: string }[] }>(
      'GET',
      `/v1/tasks?query_id=${query_id}`,
    );
    const events = await again.events(`&task_id=${data[0]?.task_id}&kinds=tool`);
    return events.map((e) => e.detail).join('\n');
  };
  expect(await seen('hall')).toContain('memory_search: found 1');
  expect(await seen('shed')).toContain('memory_search: found nothing');
});

it('notes of children reach everyone, and those that the answer leaves out stand under it', {
  timeout: 120_000,
}, async () => {
  const troupe = await startTroupe();
  const record = (note: string) => tool('brain_record', { note });
  const query = await ask(
    troupe,
    [
      startTask(`${record('The importer drops rows without an email address')} found something`),
      startTask('looked and found nothing', 'reviewer'),
      'Summary for the reader.',
    ].join(' '),
  );
  expect(query.status).toBe('completed');
  const notes = await notesOf(troupe, query);
  expect(notes.map((n) => [n.role, n.kind])).toEqual(
    expect.arrayContaining([
      ['coder', 'note'],
      ['reviewer', 'outcome'],
    ]),
  );
  expect(notes).toHaveLength(2);
  const own = notes.find((n) => n.kind === 'note');
  expect(own?.branch).toBe(own?.task_id);
  expect(query.answer).toContain('Summary for the reader.');
  expect(query.answer).toContain(
    `## Notes not used\n\n- note ${own?.note_id} (coder): The importer`,
  );
  const missing = await troupe.ask('GET', '/v1/queries/0198c0de-0000-7000-8000-00000000dead/brain');
  expect(missing.status).toBe(404);
});

it('a correction over HTTP takes the place of the old text at once', {
  timeout: 60_000,
}, async () => {
  const troupe = await startTroupe();
  const body = { content: 'Releases are on Friday', layer: 'knowledge' };
  const old = await troupe.call<MemoryRecord>('POST', '/v1/memory', body);
  expect(old.layer).toBe('domain/knowledge');
  const path = `/v1/memory/${old.record_id}/correct`;
  const replacement = 'Releases are on Tuesday';
  const fresh = await troupe.call<MemoryRecord>('POST', path, { replacement, reason: 'moved' });
  expect((await records(troupe, 'q=releases')).map((r) => r.content)).toEqual([replacement]);
  expect((await troupe.ask('POST', path, { replacement })).status).toBe(409);
  expect((await records(troupe, 'status=superseded')).map((r) => r.content)).toEqual([
    body.content,
  ]);
  const { data } = await troupe.call<{ data: MemoryRecord[] }>(
    'GET',
    `/v1/memory/${fresh.record_id}/history`,
  );
  expect(data.map((r) => r.record_id)).toEqual([old.record_id, fresh.record_id]);
  const unknown = await troupe.ask<{ detail: string }>('POST', '/v1/memory', {
    ...body,
    layer: 'global',
  });
  expect(unknown.status).toBe(400);
  expect(unknown.body.detail).toContain('user/profile, project/context, domain/knowledge');
});
