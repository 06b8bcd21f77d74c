// The end of a turn that made files: one remember task, its proposals in the inbox, a person decides, the answer follows.
import { describe, expect, it } from 'vitest';
import {
  approve,
  ask,
  ended,
  FILES,
  found,
  NOTES,
  noticed,
  pending,
  queryOf,
  reviewsOf,
  tasksOf,
  world,
} from '../support/remember-world.ts';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

describe('a turn that made files', { timeout: 120_000 }, () => {
  it('asks once what to remember, stores what a person approves, as edited, and answers after that', async () => {
    const { env, provider } = await world();
    const troupe = await startTroupe({ env });
    const { query_id } = await ask(troupe, { review: 'wait' });
    const review = await pending(troupe, query_id);
    expect(await tasksOf(troupe, query_id)).toEqual(['coder', 'remember']);
    await until(
      async () => (await queryOf(troupe, query_id)).status === 'waiting',
      10_000,
      'the query waits for a person',
    );
    expect((await queryOf(troupe, query_id)).answer).toBeNull();

    const [spec, api] = review.request.items;
    expect(spec).toMatchObject({
      ...{ path: 'docs/spec.md', layer: 'project/context', note: NOTES['docs/spec.md'] },
      file_size: FILES['docs/spec.md'].length,
      evidence: [
        { path: 'docs/spec.md', from: 3, to: 3, quote: FILES['docs/spec.md'].split('\n')[2] },
      ],
    });
    expect(api).toMatchObject({ path: 'docs/api.md', layer: 'domain/knowledge', evidence: [] });
    expect(spec?.confidence).toBeGreaterThan(api?.confidence ?? 1);
    const proposed = await noticed(troupe, query_id, 'memory_proposed');
    expect(proposed.data.dropped).toEqual([
      { path: '../secret.md', reason: 'it is outside the working folder' },
    ]);

    const decision = {
      decision: 'reject',
      items: [
        {
          ...{ path: 'docs/spec.md', decision: 'approve', layer: 'knowledge' },
          note: 'A person wrote: orders stay for ever, zebra.',
        },
        { path: 'docs/api.md', decision: 'reject', reason: 'known to everybody' },
      ],
    };
    const path = `/v1/reviews/${review.review_id}`;
    expect((await troupe.ask('POST', path, { decision: 'maybe' })).status).toBe(422);
    await troupe.call('POST', path, decision);
    expect((await troupe.ask('POST', path, decision)).status).toBe(409);

    const query = await ended(troupe, query_id);
    expect([query.status, query.answer]).toEqual(['completed', 'Final answer after the decision.']);
    const message = provider.requests
      .flatMap((r) => r.messages)
      .find((m) => m.role === 'user' && m.content?.includes('A person has decided'))?.content;
    expect(message).toContain('known to everybody');

    const [record, ...others] = await found(troupe, 'zebra orders for ever');
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      ...{ layer: 'domain/knowledge', source: 'remember_agent_human_approved' },
      tags: ['remember_agent', 'docs/spec.md', 'human_edited'],
    });
    expect(record?.content).toBe(
      'File: docs/spec.md\nLayer: domain/knowledge\nWhy: Every later change of orders depends on it.\n\nA person wrote: orders stay for ever, zebra.',
    );
    expect(await found(troupe, 'pages by 50')).toEqual([]);
    expect(await found(troupe, 'invoices refer')).toEqual([]);
    expect(message).toContain(record?.record_id);

    // The rejected one is not proposed again in this project; in another it is.
    const second = await ask(troupe, { review: 'wait' });
    const again = await pending(troupe, second.query_id);
    expect(again.request.items.map((item) => item.path)).toEqual(['docs/spec.md']);
    await troupe.call('POST', `/v1/reviews/${again.review_id}`, { decision: 'reject' });
    await ended(troupe, second.query_id);
    const third = await ask(troupe, { review: 'wait' });
    await noticed(troupe, third.query_id, 'memory_not_proposed');
    expect((await ended(troupe, third.query_id)).answer).toBe('Built.');
    const other = await ask(troupe, { review: 'wait', project: 'blog' });
    expect((await pending(troupe, other.query_id)).request.items).toHaveLength(2);
  });

  it('answers at once where nobody waits, and the proposals can be decided later, also after kill -9', async () => {
    const { env } = await world();
    const first = await startTroupe({ env });
    const { query_id } = await ask(first, {});
    expect((await ended(first, query_id)).answer).toBe('Built.');
    const review = await pending(first, query_id);
    await first.kill();
    const troupe = await startTroupe({ env, folder: first.folder });
    await troupe.call('POST', `/v1/reviews/${review.review_id}`, { decision: 'approve' });
    const records = await found(troupe, 'orders cancelled invoices');
    expect(records.map((r) => r.tags)).toContainEqual(['remember_agent', 'docs/spec.md']);
    expect(await tasksOf(troupe, query_id)).toEqual(['coder', 'remember']);
    expect((await queryOf(troupe, query_id)).status).toBe('completed');
  });

  it('that is cancelled while its proposals wait takes them out of the inbox', async () => {
    const { env } = await world();
    const troupe = await startTroupe({ env });
    const { query_id } = await ask(troupe, { review: 'wait' });
    const { review_id } = await pending(troupe, query_id);
    await troupe.call('POST', `/v1/queries/${query_id}/cancel`, {});
    expect((await reviewsOf(troupe)).map((r) => r.status)).toEqual(['withdrawn']);
    const path = `/v1/reviews/${review_id}`;
    expect((await troupe.ask('POST', path, { decision: 'approve' })).status).toBe(409);
    expect(await found(troupe, 'orders')).toEqual([]);
    expect((await queryOf(troupe, query_id)).status).toBe('cancelled');
  });

  it('does not propose again what is remembered already', async () => {
    const { env } = await world();
    const troupe = await startTroupe({ env });
    const first = await ask(troupe, {});
    await approve(troupe, (await pending(troupe, first.query_id)).review_id);
    const second = await ask(troupe, {});
    const { data } = await noticed(troupe, second.query_id, 'memory_not_proposed');
    expect(JSON.stringify(data.dropped)).toContain('it is remembered already');
    expect(await reviewsOf(troupe)).toHaveLength(1);
  });

  it('stores nothing and says so when nobody decides in time', async () => {
    const { env } = await world();
    const troupe = await startTroupe({ env, config: '[limits]\nreview_timeout_s = 1\n' });
    const { query_id } = await ask(troupe, { review: 'wait' });
    const query = await ended(troupe, query_id);
    expect(query.status).toBe('completed');
    expect(query.answer).toBe(
      'Built.\n\nNothing was stored in memory: nobody decided on the proposals within 1 s.',
    );
    const [review] = await reviewsOf(troupe);
    expect(review?.status).toBe('expired');
    const late = await troupe.ask('POST', `/v1/reviews/${review?.review_id}`, {
      decision: 'approve',
    });
    expect(late.status).toBe(409);
    expect(await found(troupe, 'orders')).toEqual([]);
  });
});

it('a turn that made no files, or whose query wants no review, asks for nothing', {
  timeout: 60_000,
}, async () => {
  const none = await world({ makes: false });
  const troupe = await startTroupe({ env: none.env });
  const quiet = await ask(troupe, { review: 'wait' });
  expect((await ended(troupe, quiet.query_id)).answer).toBe('Built.');
  expect(await tasksOf(troupe, quiet.query_id)).toEqual(['coder']);
  const { env } = await world();
  const other = await startTroupe({ env });
  const off = await ask(other, { review: 'off' });
  expect((await ended(other, off.query_id)).answer).toBe('Built.');
  expect(await tasksOf(other, off.query_id)).toEqual(['coder']);
  const config = '[main]\nmay_start = ["coder"]\n';
  const without = await startTroupe({ env, config });
  const query = await ask(without, { review: 'wait' });
  expect((await ended(without, query.query_id)).answer).toBe('Built.');
  expect(await tasksOf(without, query.query_id)).toEqual(['coder']);
  const direct = await other.start('coder', 'x');
  await other.ended(direct.task_id);
  expect(await tasksOf(other, direct.query_id)).toEqual(['coder']);
  expect(await reviewsOf(other)).toEqual([]);
});

it('the rules without a model propose what they can tell by a file’s name, and say what they are', {
  timeout: 60_000,
}, async () => {
  const troupe = await startTroupe({ env: { TROUPE_MODEL: 'offline', TROUPE_TOPOLOGY: 'single' } });
  const input = 'Create README.md with the text "# Shop for people who like things"';
  const { query_id } = await ask(troupe, { input });
  expect((await ended(troupe, query_id)).status).toBe('completed');
  const review = await pending(troupe, query_id);
  expect(review.request.items.map((item) => item.path)).toEqual(['README.md']);
  expect(review.request.items[0]?.rationale).toContain('offline rules – no AI model was used');
  expect(review.request.items[0]?.evidence).toHaveLength(1);
});

it('a model that only repeats its task proposes nothing', { timeout: 60_000 }, async () => {
  const troupe = await startTroupe({ env: { TROUPE_TOPOLOGY: 'single' } });
  const input = '[[tool write {"path":"docs/spec.md","content":"text"}]] written';
  const { query_id } = await ask(troupe, { input, review: 'wait' });
  expect((await ended(troupe, query_id)).answer).toBe('written');
  expect(await tasksOf(troupe, query_id)).toEqual(['remember']);
  expect(await reviewsOf(troupe)).toEqual([]);
  // A follow-up that makes nothing new asks for nothing more; one that does asks again.
  const more = async (text: string) => {
    await troupe.call('POST', `/v1/queries/${query_id}/messages`, { text });
    return ended(troupe, query_id);
  };
  await more('thank you');
  expect(await tasksOf(troupe, query_id)).toEqual(['remember']);
  await more('[[tool write {"path":"docs/api.md","content":"text"}]] written');
  expect(await tasksOf(troupe, query_id)).toEqual(['remember', 'remember']);
});
