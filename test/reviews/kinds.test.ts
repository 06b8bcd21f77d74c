// Decisions by kind: what is taken, and that a refusal says what would have been.
import { describe, expect, it } from 'vitest';
import { approval } from '../../src/reviews/approval.ts';
import { memory } from '../../src/reviews/memory.ts';
import { question } from '../../src/reviews/question.ts';

const asked = { question: 'Which database?', options: ['SQLite', 'PostgreSQL'] };
const action = { action: 'run it', detail: 'git push --force', subject: 'shell: push' };
const item = (item_id: string) => ({
  item_id,
  title: item_id,
  content: `text ${item_id}`,
  data: {},
});
const proposals = { items: [item('a'), item('b')] };

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
  it('take a decision for each, in any order, or one for all', () => {
    const items = [
      { item_id: 'b', decision: 'edit', content: 'better' },
      { item_id: 'a', decision: 'reject' },
    ];
    expect(memory.read(proposals, { items }).items).toEqual([
      { item_id: 'a', decision: 'reject', content: null },
      { item_id: 'b', decision: 'edit', content: 'better' },
    ]);
    expect(memory.read(proposals, { decision: 'approve' }).items).toEqual([
      { item_id: 'a', decision: 'approve', content: 'text a' },
      { item_id: 'b', decision: 'approve', content: 'text b' },
    ]);
  });
  it('refuse a list that leaves one out, names one twice, or edits without a text', () => {
    const a = { item_id: 'a', decision: 'approve' };
    for (const items of [
      [a],
      [a, a],
      [a, { item_id: 'c', decision: 'approve' }],
      [a, { item_id: 'b', decision: 'edit' }],
      [a, { item_id: 'b', decision: 'approve', content: 'new' }],
      [a, { item_id: 'b', decision: 'later' }],
      'all',
    ])
      expect(() => memory.read(proposals, { items })).toThrow(/allowed: .*one for each of a, b/);
  });
});
