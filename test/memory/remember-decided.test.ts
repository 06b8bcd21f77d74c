import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Proposal } from '../../src/domain/proposal.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openMemory } from './kit.ts';
import { aProposal, openReviews } from './review-kit.ts';

let workdir: string;
beforeEach(() => {
  workdir = tempFolder();
  mkdirSync(join(workdir, 'docs'));
  writeFileSync(join(workdir, 'docs/a.md'), 'Zebras are striped.\u202e\n');
});

async function open(items: Proposal[]) {
  const kit = await openMemory();
  const query_id = await kit.query('shop', { workdir });
  const reviews = openReviews(kit);
  const { review_id } = await reviews.open(query_id, items);
  const records = async () =>
    (await kit.store.reads.memory.list({ limit: 50, cursor: null })).data.reverse();
  return {
    ...{ kit, query_id, review_id, records },
    decide: (decision: object) => reviews.decide(review_id, decision),
    rejected: () => kit.store.reads.remember.rejected('shop'),
  };
}

describe('proposals that a person decides on', () => {
  it('are stored where they are approved, each in its layer, with the changes of the person', async () => {
    const { decide, records, rejected, kit, review_id } = await open([
      ...[aProposal('docs/a.md'), aProposal('b.md'), aProposal('c.md'), aProposal('d.md')],
    ]);
    const review = await decide({
      decision: 'approve',
      items: [
        { path: 'b.md', layer: 'user', rationale: 'I like it so.', note: 'Tabs.' },
        { path: 'c.md', decision: 'reject', reason: 'not true' },
        { path: 'd.md', note: 'The point of d.md.' },
      ],
    });
    const shown = (await records()).map(({ layer, scope_key, source, tags }) => [
      ...[layer, scope_key, source, tags],
    ]);
    const source = 'remember_agent_human_approved';
    expect(shown).toEqual([
      ['project/context', 'shop', source, ['remember_agent', 'docs/a.md']],
      ['user/profile', 'global', source, ['remember_agent', 'b.md', 'human_edited']],
      // The same text again is no change.
      ['project/context', 'shop', source, ['remember_agent', 'd.md']],
    ]);
    expect((await records())[1]?.content).toBe(
      'File: b.md\nLayer: user/profile\nWhy: I like it so.\n\nTabs.',
    );
    expect(await rejected()).toEqual([
      expect.objectContaining({ path: 'c.md', essence: 'thepointofcmd', reason: 'not true' }),
    ]);
    const outcome = await kit.memory.proposals.outcomeOf(review);
    expect(outcome.approved.map((a) => [a.path, a.edited])).toEqual([
      ...[
        ['docs/a.md', false],
        ['b.md', true],
        ['d.md', false],
      ],
    ]);
    expect(outcome.approved.map((a) => a.record_id)).toEqual(
      (await records()).map((r) => r.record_id),
    );
    expect(outcome.rejected).toEqual([{ path: 'c.md', reason: 'not true' }]);
    await expect(decide({ decision: 'approve' })).rejects.toMatchObject({ code: 'conflict' });
    expect(await records()).toHaveLength(3);
    expect(review.review_id).toBe(review_id);
  });

  it('are all rejected with one word, and nothing is stored', async () => {
    const { decide, records, rejected } = await open([aProposal('docs/a.md'), aProposal('b.md')]);
    await decide({ decision: 'reject', reason: 'known' });
    expect(await records()).toEqual([]);
    expect((await rejected()).map((r) => [r.path, r.reason]).sort()).toEqual([
      ...[
        ['b.md', 'known'],
        ['docs/a.md', 'known'],
      ],
    ]);
  });

  it('without a note are the text of their file, as it is when it is approved', async () => {
    const { decide, records } = await open([
      aProposal('docs/a.md', { note: '' }),
      aProposal('b.md'),
    ]);
    const items = [{ path: 'b.md', decision: 'reject' }];
    await decide({ decision: 'approve', items });
    expect((await records()).map((r) => r.content)).toEqual([
      'File: docs/a.md\nLayer: project/context\nWhy: It decides.\n\nZebras are striped.',
    ]);
  });

  it('without a note and without their file cannot be approved; nothing of the decision happens', async () => {
    const { decide, records, rejected } = await open([
      ...[aProposal('b.md'), aProposal('docs/a.md', { note: '' })],
    ]);
    rmSync(join(workdir, 'docs/a.md'));
    await expect(decide({ decision: 'approve' })).rejects.toMatchObject({
      code: 'decision_invalid',
      message: expect.stringMatching(/"docs\/a.md" has no note.*does not exist.*Give it a note/),
    });
    expect([await records(), await rejected()]).toEqual([[], []]);
    await decide({ decision: 'approve', items: [{ path: 'docs/a.md', note: 'Zebras.' }] });
    expect(await records()).toHaveLength(2);
  });

  it('by two people at once are decided once', async () => {
    const { decide, records } = await open([aProposal('docs/a.md')]);
    const both = await Promise.allSettled([
      ...[decide({ decision: 'approve' }), decide({ decision: 'reject' })],
    ]);
    expect(both.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    expect((await records()).length).toBe(both[0]?.status === 'fulfilled' ? 1 : 0);
  });

  it.each([
    [{}, 'no decision'],
    [{ decision: 'maybe' }, 'no decision'],
    [{ items: [{ path: 'b.md', decision: 'approve' }] }, '"docs/a.md" has no decision'],
    [{ decision: 'approve', items: [{ path: 'z.md' }] }, '"z.md" is not proposed'],
    [{ decision: 'approve', items: [{ path: 'b.md' }, { path: 'b.md' }] }, 'twice'],
    [{ decision: 'approve', items: [{ path: 'b.md', layer: 'global' }] }, 'user/profile'],
    [{ decision: 'reject', items: [{ path: 'b.md', note: 'x' }] }, 'rejected and changed'],
    [{ decision: 'approve', items: [{ path: 'b.md', text: 'x' }] }, '"text" is not part'],
    [{ decision: 'approve', items: [{ path: 'b.md', note: 'x'.repeat(4_001) }] }, '4001'],
    [{ decision: 'approve', items: 'b.md' }, 'not a list'],
  ])('are not decided by %j, and what is allowed is said', async (decision, said) => {
    const { decide, records } = await open([aProposal('docs/a.md'), aProposal('b.md')]);
    const refused = decide(decision);
    await expect(refused).rejects.toMatchObject({ code: 'decision_invalid' });
    await expect(refused).rejects.toThrow(said);
    await expect(refused).rejects.toThrow(/allowed: .*"docs\/a.md", "b.md"/);
    expect(await records()).toEqual([]);
  });
});
