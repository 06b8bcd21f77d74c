import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/domain/ports.ts';
import { unverifiedClaims } from '../../src/tasks/claims.ts';

const call = (command: string, ok = true): CallRecord => ({
  id: 'c',
  name: 'shell',
  arguments: JSON.stringify({ command }),
  started_at: '',
  ended_at: '',
  ok,
  summary: '',
  exit_code: ok ? 0 : 1,
});
const CLAIMS = [
  'Done. All tests pass.',
  'I fixed it and the tests are now green.',
  '12 tests passed.',
  '12/12 tests pass',
  'The test suite passes.',
  '구현을 마쳤고 테스트가 모두 통과했습니다.',
  '已完成，所有测试均已通过。',
];
const NO_CLAIMS = [
  'The tests do not pass yet.',
  "I couldn't make the tests pass.",
  'Make sure the tests pass before you merge.',
  'Run the tests; once the tests pass, deploy.',
  '테스트가 통과하지 않았습니다.',
  '测试未通过。',
  'I wrote three tests.',
];

describe('a result that claims that tests pass', () => {
  for (const text of CLAIMS)
    it(`is unverified without a receipt: ${text}`, () => {
      expect(unverifiedClaims(text, [])).toEqual(['tests pass']);
      expect(unverifiedClaims(text, [call('ls')])).toEqual(['tests pass']);
      expect(unverifiedClaims(text, [call('npm test', false)])).toEqual(['tests pass']);
    });
  for (const text of NO_CLAIMS)
    it(`no claim: ${text}`, () => expect(unverifiedClaims(text, [])).toEqual([]));
  for (const command of [
    'npm test',
    'npm run test -- -x',
    'node --test a.mjs',
    'npx vitest run',
    'pytest -q',
    'python3 -m unittest',
    'go test ./...',
    'cargo test',
    'make check',
  ])
    it(`is believed with the receipt of: ${command}`, () =>
      expect(unverifiedClaims('All tests pass.', [call(command)])).toEqual([]));
});
