// The resilience policies by name, and what is noted when one acts. The table itself is resilience/policy.

export const POLICY_NAMES = [
  'model_timeout',
  'no_progress_loop',
  'tool_call_error',
  'subagent_failure',
  'external_api_error',
  'safe_stop',
] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

/** `retry`: the same again. `fallback`: the policy's other way. `stop`: it gives up, and says so. */
export type PolicyAction = 'retry' | 'fallback' | 'stop';

/** One act of a policy. `attempt` counts retries from 1; `reason` is for people. */
export type PolicyNote = {
  policy: PolicyName;
  action: PolicyAction;
  attempt: number;
  reason: string;
};
