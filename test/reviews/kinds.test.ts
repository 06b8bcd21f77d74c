// Decisions by kind: what is taken, and that a refusal says what would have been.
import { describe, expect, it } from 'vitest';
import { approval } from '../../src/reviews/approval.ts';
import { memory } from '../../src/reviews/memory.ts';
import { question } from '../../src/reviews/question.ts';
import { aProposal } from '../memory/review-kit.ts';

const asked = { question: 'Which database?', options: ['SQLite', 'PostgreSQL'] };
const action = { action: 'run it', detail: 'git push --force', subject: 'shell: push' };
const proposals = { items: [aProposal('a'), aProposal('b')] };

describe('a question', () => {
  it('takes free text, an option by its number, and an option by its words', () => {
    expect(question.read(asked, { answer: ' MySQL ' })).toEqual({ answer: 'MySQL', option: null });
    expect(question.read(asked, { option: 2 })).toEqual({ answer: 'PostgreSQL', option: 2 });
    expect(question.read(asked, { answer: 'sqlite' })).toEqual({ answer: 'sqlite', option: 1 });
  });
  it('refuses what is no answer and says what is', () => {
    for (const given of [
      {},
      { answer: '  ' },
      { answer: 7 },
      { option: 3 },
      { option: 0 },
      { option: 1.5 },
      { answer: 'a', option: 1 },
      { decision: 'once' },
      { answer: 'x'.repeat(16_001) },
    ])
      expect(() => question.read(asked, given), JSON.stringify(given).slice(0, 80)).toThrow(
        /allowed: .*1 = SQLite, 2 = PostgreSQL/,
      );
  });
});

describe('an approval', () => {
  it('takes once, session, deny, and the words that people use for them', () => {
    const read = (decision: string) => approval.read(action, { decision }).decision;
    expect(['once', 'session', 'deny', 'approve', 'reject', 'Yes'].map(read)).toEqual([
      ...['once', 'session', 'deny', 'once', 'deny', 'once'],
    ]);
    expect(approval.read(action, { decision: 'deny', reason: 'no' })).toEqual({
      decision: 'deny',
      reason: 'no',
    });
  });
  it('refuses anything else and says what is allowed', () => {
    for (const given of [{}, { decision: 'maybe' }, { answer: 'yes' }])
      expect(() => approval.read(action, given)).toThrow(/allowed: .*"session"/);
  });
});

describe('proposals to remember', () => {
  const kept = { layer: 'project/context', rationale: 'It decides.', reason: null };
  it('take a decision for each, in any order, or one for all that are not named', () => {
    const items = [
      { path: 'b', decision: 'approve', note: 'better', layer: 'domain' },
      { path: 'a', decision: 'reject', reason: 'no' },
    ];
    const a = { ...kept, path: 'a', decision: 'reject', note: 'The point of a.', reason: 'no' };
    const b = { ...kept, path: 'b', decision: 'edit', note: 'better', layer: 'domain/knowledge' };
    expect(memory.read(proposals, { items }).items).toEqual([a, b]);
    expect(memory.read(proposals, { decision: 'approve', items: [items[1]] }).items).toEqual([
      a,
      { ...kept, path: 'b', decision: 'approve', note: 'The point of b.' },
    ]);
    expect(memory.read(proposals, { decision: 'reject', reason: 'no' }).items).toEqual([
      a,
      { ...a, path: 'b', note: 'The point of b.' },
    ]);
  });
  it('refuse a list that leaves one out, names one twice or an unknown one', () => {
    const a = { path: 'a', decision: 'approve' };
    for (const items of [[a], [a, a], [a, { path: 'c', decision: 'approve' }], 'all'])
      expect(() => memory.read(proposals, { items })).toThrow(/allowed: .*the paths are "a", "b"/);
  });
});
