import { describe, expect, it } from 'vitest';
import {
  cycleOf,
  judge,
  type Phase,
  type Ran,
  type Receipt,
  refusePhase,
  summaryOf,
} from '../../src/workflows/tdd-cycle.ts';
import { decideTdd } from '../../src/workflows/tdd-decision.ts';
import { readGuide } from '../../src/workflows/test-guide.ts';

/** [text, targets, a runner is there, verdict, a word of the reasons] */
const DECISIONS: readonly [string, string[], boolean, boolean, string][] = [
  ['Add toCsv, with tests for quotes', ['src/export.ts'], true, true, '+ names tests: "tests"'],
  ['Add toCsv', ['src/export.ts'], true, true, '+ feature in code: src/export.ts'],
  ['Add toCsv', ['src/export.ts'], false, false, '- no test guide and no test runner'],
  ['Fix the crash on an empty table', ['src/table.py'], true, true, '+ bugfix in code'],
  ['Fix the crash, add a regression test', ['src/table.py'], false, true, '"regression"'],
  ['Rename toCsv to writeCsv', ['src/export.ts'], true, false, '- neither feature nor bugfix'],
  ['Rename toCsv; raise the coverage', ['src/export.ts'], true, true, '"coverage"'],
  ['Add a chapter on export', ['docs/export.md'], true, false, 'veto: the targets are documents'],
  ['Change the colours', ['web/main.css', 'web/logo.svg'], true, false, 'veto: the targets'],
  ['Add a key to the configuration', ['config.toml', '.env'], true, false, 'veto: the targets'],
  ['Add toCsv without tests', ['src/export.ts'], true, false, 'veto: the task wants no tests'],
  ["Add toCsv, don't write tests", ['src/export.ts'], true, false, 'veto: the task wants no tests'],
  ['Add a chapter\nTDD: true', ['docs/export.md'], false, true, 'explicit: TDD: true'],
  ['Add toCsv, with tests\n- TDD: false', ['src/export.ts'], true, false, 'explicit'],
  ['Add toCsv\nagent: TDD', ['src/export.ts'], false, true, 'explicit: agent: TDD'],
  ['Add toCsv\nagent: Coding', ['src/export.ts'], true, false, 'explicit: agent: Coding'],
  ['내보내기 기능 추가, 테스트 포함', ['src/export.ts'], false, true, '"테스트"'],
  ['내보내기 기능 추가, 테스트는 필요 없음', ['src/export.ts'], true, false, 'veto'],
  ['修复空表导致的错误', ['src/table.go'], true, true, '+ bugfix in code: src/table.go'],
  ['新增导出功能，不需要测试', ['src/export.ts'], true, false, 'veto'],
  ['Think about the export', [], true, false, '- neither feature nor bugfix'],
];

describe('whether a task is done test-driven', () => {
  for (const [text, targets, has_runner, tdd, reason] of DECISIONS)
    it(`"${text.replace('\n', ' / ')}"${has_runner ? '' : ' without a runner'}: ${tdd ? 'yes' : 'no'}`, () => {
      const decision = decideTdd({ text, targets, has_runner });
      expect(decision).toMatchObject({ tdd });
      expect(decision.reasons.join('\n')).toContain(reason);
    });
});

const TESTS = { 'test/a.test.ts': 'aaa' };
const ran = (exit_code: number | null, more: Partial<Ran> = {}): Ran => ({
  ...{ exit_code, output: '', hashes: TESTS, coverage: null, ...more },
});
const receipt = (phase: Phase, given: Ran, before: readonly Receipt[] = []): Receipt => ({
  ...{ phase, ...given, ...judge(phase, given, before) },
  ...{ command: 'npm test', duration_ms: 10, at: '2026-01-01T00:00:00.000Z' },
});

describe('a cycle of test-driven work', () => {
  const red = receipt('red', ran(1));
  it('red passes when the tests fail, and is a violation when they pass, do not run or are not there', () => {
    expect(red.verdict).toBe('PASS');
    const wrong: [Ran, string][] = [
      [ran(0), 'a test that passes now proves nothing'],
      [ran(null), 'did not end'],
      [ran(127), 'cannot be run'],
      [ran(1, { hashes: {} }), 'there is no test file'],
      [ran(1, { output: 'No test files found, exiting with code 1' }), 'no test ran'],
      [ran(5, { output: '===== collected 0 items =====' }), 'no test ran'],
    ];
    for (const [given, reason] of wrong) {
      const { verdict, reason: said } = judge('red', given, []);
      expect([verdict, said]).toEqual(['TDD_VIOLATION', expect.stringContaining(reason)]);
    }
  });
  it('green passes with the same tests; failing ones, changed ones and low coverage have their own names', () => {
    const verdictOf = (given: Ran) => judge('green', given, [red]).verdict;
    const coverage = { lines: 80, branches: 75, functions: 90 };
    expect(verdictOf(ran(0))).toBe('PASS');
    expect(verdictOf(ran(0, { coverage }))).toBe('PASS');
    expect(verdictOf(ran(0, { hashes: { ...TESTS, 'test/b.test.ts': 'bbb' } }))).toBe('PASS');
    expect(verdictOf(ran(1))).toBe('IMPLEMENTATION_INCOMPLETE');
    expect(verdictOf(ran(0, { hashes: { 'test/a.test.ts': 'other' } }))).toBe('TDD_VIOLATION');
    expect(verdictOf(ran(0, { hashes: { 'test/b.test.ts': 'aaa' } }))).toBe('TDD_VIOLATION');
    for (const low of [{ lines: 79.9 }, { branches: 74 }, { functions: 89 }])
      expect(verdictOf(ran(0, { coverage: { ...coverage, ...low } }))).toBe(
        'COVERAGE_BELOW_THRESHOLD',
      );
  });
  it('has an order, and at most three wrong checks of a phase', () => {
    expect(refusePhase('red', [])).toBeNull();
    expect(refusePhase('green', [])).toContain('comes after "red"');
    expect(refusePhase('refactor', [red])).toContain('comes after "green"');
    const wrong = receipt('green', ran(1), [red]);
    expect(refusePhase('green', [red, wrong, wrong])).toBeNull();
    expect(refusePhase('green', [red, wrong, wrong, wrong])).toContain('gone wrong 3 times');
  });
  it('begins anew with the next red, and is summed up by the last check of each phase', () => {
    const green = receipt('green', ran(0), [red]);
    const all = [red, receipt('green', ran(1), [red]), green];
    expect(summaryOf(all)).toMatchObject({
      ...{ status: 'completed', verdict: 'PASS', rounds: 3, total_duration_ms: 30 },
      phases: { red: { verdict: 'PASS' }, green: { verdict: 'PASS' }, refactor: null },
    });
    expect(cycleOf([...all, red]).receipts).toEqual([red]);
    expect(summaryOf([...all, red])).toMatchObject({ status: 'open', verdict: 'FAIL' });
    expect(refusePhase('green', [...all, red])).toBeNull();
  });
});

describe('the test guide', () => {
  it('gives its commands, from indented lines and fenced blocks, and its guesses', () => {
    const guide =
      '# Test guide\n## Build\n```sh\n$ make\n```\n## Test\n    npm test\n## Guesses\n- none\n';
    expect(readGuide(guide)).toEqual({ build: 'make', test: 'npm test', guesses: [] });
    const guessed = '## Test one file\n    x\n## Guesses\n- npm test, because it is usual\n';
    expect(readGuide(guessed)).toEqual({
      ...{ build: null, test: null },
      guesses: ['npm test, because it is usual'],
    });
  });
});
