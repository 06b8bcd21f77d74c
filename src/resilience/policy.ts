// The six resilience policies as a table that the runtime executes: what sets one off, how often it tries again,
// what it does then, when it stops, and what its user is told. Pure data.
import type { PolicyName } from '../domain/policy.ts';

export type Policy = {
  name: PolicyName;
  trigger: string;
  max_retries: number;
  /** What is done when the retries are used up. */
  action: string;
  stop: string;
  user_status: { en: string; ko: string; zh: string };
};

export const POLICIES: Readonly<Record<PolicyName, Policy>> = {
  model_timeout: {
    name: 'model_timeout',
    trigger: 'a model sends nothing in time, or its stream breaks off',
    max_retries: 1,
    action: 'ask again once, then ask another model',
    stop: 'the other model does not answer either',
    user_status: {
      en: 'The model is slow to answer; asking again or asking another one.',
      ko: '모델의 응답이 늦어 다시 요청하거나 다른 모델로 전환합니다.',
      zh: '模型响应缓慢，正在重试或改用其他模型。',
    },
  },
  no_progress_loop: {
    name: 'no_progress_loop',
    trigger: 'the same call brings the same result for the third time in a row',
    max_retries: 1,
    action: 'tell the agent to change its way once',
    stop: 'the same call comes again',
    user_status: {
      en: 'The agent repeats itself without progress; it was told to change its way.',
      ko: '에이전트가 진전 없이 같은 작업을 반복하여 방법을 바꾸도록 했습니다.',
      zh: '智能体在无进展地重复操作，已要求其改变做法。',
    },
  },
  tool_call_error: {
    name: 'tool_call_error',
    trigger: 'a tool call that cannot run: unknown tool, arguments that do not parse or do not fit',
    max_retries: 1,
    action: 'show the agent the error and the schema, and let it write the call again',
    stop: 'the same error comes again',
    user_status: {
      en: 'A tool was called wrongly; the agent is correcting the call.',
      ko: '도구 호출이 잘못되어 에이전트가 호출을 수정하고 있습니다.',
      zh: '工具调用有误，智能体正在修正该调用。',
    },
  },
  subagent_failure: {
    name: 'subagent_failure',
    trigger: 'a subagent has failed, or stays blocked until its deadline',
    max_retries: 1,
    action: 'give the task, with the failure attached, to the alternate role once',
    stop: 'the alternate role fails too',
    user_status: {
      en: 'A subagent could not finish its task; another role is trying.',
      ko: '하위 에이전트가 작업을 끝내지 못하여 다른 역할이 시도합니다.',
      zh: '子智能体未能完成任务，正由另一角色尝试。',
    },
  },
  external_api_error: {
    name: 'external_api_error',
    trigger: 'a provider answers with an error or a rate limit, or cannot be reached',
    max_retries: 2,
    action: 'wait as long as it asks, then try again; then use another way or stop safely',
    stop: 'it persists',
    user_status: {
      en: 'An external service has a problem; waiting and trying again.',
      ko: '외부 서비스에 문제가 있어 기다렸다가 다시 시도합니다.',
      zh: '外部服务出现问题，稍候将重试。',
    },
  },
  safe_stop: {
    name: 'safe_stop',
    trigger: 'an action that could do lasting harm, or for which there is no permission',
    max_retries: 0,
    action: 'none',
    stop: 'at once, before anything is done',
    user_status: {
      en: 'Stopped for safety before a risky action; nothing of it was done.',
      ko: '위험한 작업 전에 안전을 위해 중단했으며 실행된 것은 없습니다.',
      zh: '出于安全，已在执行高风险操作之前停止，未做任何更改。',
    },
  },
};
