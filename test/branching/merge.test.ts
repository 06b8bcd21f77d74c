import { describe, expect, it } from 'vitest';
import { type BranchResult, earlyStop, mergeBranches } from '../../src/branching/index.ts';
import { noUsage } from '../../src/domain/message.ts';

const result = (index: number, over: Partial<BranchResult> = {}): BranchResult => ({
  index,
  task_id: `task-${index}`,
  role: 'coder',
  goal: `part ${index + 1}`,
  status: 'completed',
  summary: `Did part ${index + 1}.`,
  error: null,
  usage: { ...noUsage(), input_tokens: 10, cost_usd: 0.5 },
  ...over,
});

describe('a merge', () => {
  it('names every branch in the order of the request, however they ended', () => {
    const results = [
      result(3, { status: 'cancelled', summary: 'half of it', error: null }),
      result(1, { summary: '  ' }),
      result(0),
      result(2, { status: 'timeout', summary: '', error: 'no answer in 600 s' }),
    ];
    const { text, branch_ids, usage, status } = mergeBranches(results, 'en');
    expect(status).toBe('partial');
    expect(branch_ids).toEqual(['task-0', 'task-1', 'task-2', 'task-3']);
    expect(text.match(/^## .*$/gm)).toEqual([
      '## Branch 1 (coder): part 1',
      '## Branch 2 (coder): part 2',
      '## Branch 3 (coder): part 3',
      '## Branch 4 (coder): part 4',
    ]);
    // Nothing that a branch said is lost, also when it failed.
    for (const part of ['half of it', 'timeout: no answer in 600 s', '(it ended without a text)'])
      expect(text).toContain(part);
    expect(usage).toMatchObject({ input_tokens: 40, cost_usd: 2 });
  });

  it('lists the notes that no result mentions, each once', () => {
    const notes = [
      { index: 0, note: 'DID  part 1.' },
      { index: 1, note: 'The token expires after a day' },
      { index: 1, note: 'the token expires after a day' },
    ];
    const { unused_notes, text } = mergeBranches([result(0), result(1)], 'en', notes);
    expect(unused_notes).toEqual([{ index: 1, note: 'The token expires after a day' }]);
    expect(text).toMatch(/Notes that no result mentions\n\n- Branch 2: The token expires/);
  });

  it.each([
    ['ko', '브랜치 1', '모든 브랜치가 실패'],
    ['zh', '分支 1', '所有分支都失败'],
  ] as const)('speaks the language of the request: %s', (language, heading, failed) => {
    expect(mergeBranches([result(0), result(1)], language).text).toContain(heading);
    const none = [0, 1].map((i) => result(i, { status: 'failed', summary: '', error: 'x' }));
    expect(mergeBranches(none, language).text).toContain(failed);
  });

  it('a branch that was stopped because the others were enough has not failed', () => {
    const { status, text } = mergeBranches([result(0), result(1, { status: 'stopped' })], 'en');
    expect(status).toBe('completed');
    expect(text).toContain('Branch 2');
  });
});

describe('an early stop', () => {
  const open = [
    { index: 1, predicted_tokens: 1_000, predicted_ms: 10_000, used_tokens: 400, used_ms: 4_000 },
    {
      index: 2,
      predicted_tokens: 1_000,
      predicted_ms: 10_000,
      used_tokens: 2_000,
      used_ms: 12_000,
    },
  ];
  const good = result(0, { summary: 'All 12 tests PASS' });
  it.each([
    ['all', { kind: 'all' }, [good], false],
    ['so many have completed', { kind: 'count', of: 1 }, [good], true],
    ['too few have completed', { kind: 'count', of: 2 }, [good], false],
    [
      'a failed one does not count',
      { kind: 'count', of: 1 },
      [result(0, { status: 'failed' })],
      false,
    ],
    ['a text that is there', { kind: 'text', text: 'tests pass', of: 1 }, [good], true],
    ['a text that is not there', { kind: 'text', text: 'tests fail', of: 1 }, [good], false],
  ] as const)('stops the rest when enough is there: %s', (_what, check, finished, stop) => {
    const verdict = earlyStop(check, [...finished], open);
    expect(verdict.stop).toBe(stop);
    expect(verdict.cancel).toEqual(stop ? [1, 2] : []);
    // Only what was still to come is saved.
    expect([verdict.saved_tokens, verdict.saved_ms]).toEqual(stop ? [600, 6_000] : [0, 0]);
  });

  it('has nothing to stop when all have ended', () => {
    expect(earlyStop({ kind: 'count', of: 1 }, [good], []).stop).toBe(false);
  });
});
