import { expect, it } from 'vitest';
import { POLICY_NAMES } from '../../src/domain/policy.ts';
import { POLICIES } from '../../src/resilience/policy.ts';

it('every policy has words for its user in English, Korean and Chinese', () => {
  for (const name of POLICY_NAMES) {
    const { en, ko, zh } = POLICIES[name].user_status;
    expect(en, name).toMatch(/^[A-Z][\x20-\x7e]+\.$/);
    expect(ko, name).toMatch(/[가-힣].*니다\.$/);
    expect(zh, name).toMatch(/^[\u4e00-\u9fff].*。$/);
  }
});

it('the policies try again as often as they promise', () => {
  const retries = POLICY_NAMES.map((name) => [name, POLICIES[name].max_retries]);
  expect(Object.fromEntries(retries)).toEqual({
    model_timeout: 1,
    no_progress_loop: 1,
    tool_call_error: 1,
    subagent_failure: 1,
    external_api_error: 2,
    safe_stop: 0,
  });
});
