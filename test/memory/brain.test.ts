import { describe, expect, it } from 'vitest';
import type { Delegation } from '../../src/domain/brain.ts';
import { openMemory } from './kit.ts';

describe('a note', () => {
  it('is readable by parent and siblings as soon as it is recorded, with author, time and branch', async () => {
    const kit = await openMemory();
    const query_id = await kit.query();
    const [a, b] = [await kit.child(query_id), await kit.child(query_id, 'reviewer')];
    const grandchild = await kit.child(query_id, 'researcher', a.task_id);
    const before = new Date().toISOString();
    const note_id = await kit.note(grandchild, 'the port is 8080');
    for (const by of [kit.main(query_id), a, b]) {
      const [note] = await kit.notes(by);
      expect(note).toMatchObject({
        ...{ note_id, note: 'the port is 8080', role: 'researcher', kind: 'note' },
        ...{ author: grandchild.agent_id, task_id: grandchild.task_id, branch: a.task_id },
      });
      expect((note?.at ?? '') >= before).toBe(true);
    }
  });

  it('tells its author only how many notes of others there are', async () => {
    const kit = await openMemory();
    const query_id = await kit.query();
    const [a, b] = [await kit.child(query_id), await kit.child(query_id)];
    const record = (by: typeof a) =>
      kit.agents.brain(by, { op: 'record', call_id: kit.call_id(), note: `by ${by.agent_id}` });
    expect(await record(a)).toMatchObject({ ok: true, others: 0 });
    expect(await record(a)).toMatchObject({ ok: true, others: 0 });
    expect(await record(b)).toMatchObject({ ok: true, others: 2 });
  });

  it('is recorded once however often its call is repeated', async () => {
    const kit = await openMemory();
    const by = await kit.child(await kit.query());
    const call = { op: 'record', call_id: 'same', note: 'once' } as const;
    const answers = await Promise.all([kit.agents.brain(by, call), kit.agents.brain(by, call)]);
    expect(answers[0]).toEqual(answers[1]);
    expect(await kit.agents.brain(by, call)).toEqual(answers[0]);
    expect(await kit.notes(by)).toHaveLength(1);
    const events = await kit.store.reads.events.after(0, { query_id: by.query_id }, 10);
    expect(events.map((e) => e.state)).toEqual(['brain_note']);
  });

  it('is refused when it is empty or too long, and takes no other along', async () => {
    const kit = await openMemory();
    const query_id = await kit.query();
    const [a, b] = [await kit.child(query_id), await kit.child(query_id)];
    const gone = { ...b, query_id: '0198c0de-0000-7000-8000-00000000dead' };
    const tell = (by: typeof a, note: string) =>
      kit.agents.brain(by, { op: 'record', call_id: kit.call_id(), note });
    const [good, bad, empty, long] = await Promise.allSettled([
      tell(a, 'kept'),
      tell(gone, 'lost'),
      tell(b, '\u200b'),
      tell(b, 'x'.repeat(4_001)),
    ]);
    expect(good).toMatchObject({ status: 'fulfilled', value: { ok: true } });
    expect(bad.status).toBe('rejected');
    expect(empty).toMatchObject({ value: { ok: false, code: 'bad_request' } });
    expect(long).toMatchObject({ value: { ok: false, code: 'bad_request' } });
    expect((await kit.notes(a)).map((n) => n.note)).toEqual(['kept']);
  });

  it('shares its commit with those that come close to it: forty notes are two', async () => {
    const kit = await openMemory();
    const query_id = await kit.query();
    const children = await Promise.all(Array.from({ length: 40 }, () => kit.child(query_id)));
    const commits: number[] = [];
    kit.store.onCommit((events) => commits.push(events.length));
    await Promise.all(children.map((by, i) => kit.note(by, `finding ${i}`)));
    expect(commits.reduce((sum, n) => sum + n, 0)).toBe(40);
    expect(commits.length).toBeLessThanOrEqual(2);
    expect((await kit.memory.brain.every(query_id)).map((n) => n.note).sort()).toEqual(
      Array.from({ length: 40 }, (_, i) => `finding ${i}`).sort(),
    );
  });
});

describe('a question to the brain', () => {
  it('is answered with the notes of one branch, or with those that hold a word', async () => {
    const kit = await openMemory();
    const query_id = await kit.query();
    const [a, b] = [await kit.child(query_id), await kit.child(query_id)];
    const below = await kit.child(query_id, 'researcher', a.task_id);
    await kit.note(kit.main(query_id), 'the plan: two services');
    await kit.note(a, '서버는 8080 포트를 쓴다');
    await kit.note(below, 'the schema has three tables');
    await kit.note(b, 'the server needs Node 20');
    const texts = async (query: string | null, branch: string | null) =>
      (await kit.notes(b, query, branch)).map((n) => n.note);
    expect(await texts(null, a.task_id)).toEqual([
      '서버는 8080 포트를 쓴다',
      'the schema has three tables',
    ]);
    expect(await texts(null, 'main')).toEqual(['the plan: two services']);
    expect(await texts('서버', null)).toEqual(['서버는 8080 포트를 쓴다']);
    expect(await texts('servers', null)).toEqual(['the server needs Node 20']);
    expect(await texts('tables', b.task_id)).toEqual([]);
    const unknown = await kit.agents.brain(b, { op: 'query', query: null, branch: 'frontend' });
    expect(unknown).toMatchObject({ ok: false, code: 'not_found' });
    expect(JSON.stringify(unknown)).toContain(a.task_id);
  });

  it('never shows the notes of another query', async () => {
    const kit = await openMemory();
    const [one, two] = [await kit.query(), await kit.query()];
    await kit.note(await kit.child(one), 'ours');
    expect(await kit.notes(kit.main(two))).toEqual([]);
  });

  it('is answered page by page for readers from outside', async () => {
    const kit = await openMemory();
    const query_id = await kit.query();
    const by = await kit.child(query_id);
    await Promise.all(Array.from({ length: 7 }, (_, i) => kit.note(by, `n${i}`)));
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const page = await kit.memory.brain.page(query_id, { limit: 3, cursor });
      seen.push(...page.data.map((n) => n.note_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(7);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    const odd = kit.memory.brain.page(query_id, { limit: 3, cursor: 'x' });
    await expect(odd).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('the outcome of a child', () => {
  const outcome = (by: { query_id: string; run_id: string }, more: Partial<Delegation> = {}) => ({
    ...{
      task_id: '',
      agent_id: 'sa_0',
      role: 'coder',
      goal: 'do it',
      status: 'completed' as const,
    },
    ...{ result: 'made app.js\nand more' },
    ...by,
    ...more,
  });

  it('becomes one note for a child that recorded none, however often it is told', async () => {
    const kit = await openMemory();
    const query_id = await kit.query();
    const by = await kit.child(query_id);
    const ended = outcome({ ...by, agent_id: by.agent_id ?? '' } as Delegation);
    await Promise.all([kit.agents.onDelegation(ended), kit.agents.onDelegation(ended)]);
    await kit.agents.onDelegation(ended);
    expect(await kit.notes(kit.main(query_id))).toMatchObject([
      { kind: 'outcome', note: 'result of coder: made app.js', author: by.agent_id },
    ]);
  });

  it('adds nothing for one that noted something, was cancelled, or has no parent', async () => {
    const kit = await openMemory();
    const [query_id, direct] = [await kit.query(), await kit.query(undefined, { kind: 'direct' })];
    const by = await kit.child(query_id);
    await kit.note(by, 'my own words');
    const ended = outcome({ ...by, agent_id: by.agent_id ?? '' } as Delegation);
    await kit.agents.onDelegation(ended);
    await kit.agents.onDelegation({ ...ended, run_id: 'r2', status: 'cancelled' });
    await kit.agents.onDelegation({ ...ended, query_id: direct, run_id: 'r3' });
    expect((await kit.notes(by)).map((n) => n.note)).toEqual(['my own words']);
    await kit.agents.onDelegation({ ...ended, run_id: 'r4', status: 'failed', result: 'no disk' });
    expect((await kit.notes(by)).map((n) => n.note)).toEqual([
      'my own words',
      'failure of coder: no disk',
    ]);
  });
});
