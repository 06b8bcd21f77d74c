// How a turn of the main agent ends for its user: status, answer and error from the loop's outcome. Pure.
import type { Failure } from '../domain/errors.ts';
import { REMEMBER } from '../domain/proposal.ts';
import type { LoopRun, QueryStatus } from '../domain/query.ts';
import type { EndReason, RunOutcome } from '../domain/run.ts';
import type { Task } from '../domain/task.ts';
import { detectLanguage } from '../language/detect.ts';

export type Ending = {
  status: Extract<QueryStatus, 'completed' | 'degraded' | 'failed' | 'cancelled'>;
  answer: string | null;
  error: Failure | null;
  loop: Extract<LoopRun['status'], 'completed' | 'degraded' | 'stopped' | 'failed'>;
};

const INTRO = {
  en: 'The final summary could not be written. These parts were finished:',
  ko: '최종 요약을 작성하지 못했습니다. 완료된 부분은 다음과 같습니다:',
  zh: '未能写出最终总结。以下部分已经完成：',
} as const;

/** The work was good as far as it went: what is there is an answer. */
const LIMITS: ReadonlySet<EndReason> = new Set<EndReason>(['iteration_cap', 'budget']);

/** A failed turn still gives the user every finished result; nothing that was done is thrown away. */
export function endingOf(input: string, outcome: RunOutcome, tasks: readonly Task[]): Ending {
  const { status, text, error } = outcome;
  if (status === 'completed') return { status, answer: text, error: null, loop: 'completed' };
  if (status === 'cancelled') return { status, answer: text || null, error, loop: 'stopped' };
  if (outcome.end_reason === 'partial')
    return { status: 'degraded', answer: text, error, loop: 'degraded' };
  // Proposals for memory are no part of what was asked for.
  const finished = tasks.filter(
    (t) => t.status === 'completed' && t.result && t.subagent_type !== REMEMBER,
  );
  if (finished.length === 0 && !LIMITS.has(outcome.end_reason))
    return { status: 'failed', answer: text || null, error, loop: 'failed' };
  if (finished.length === 0 && text === '')
    return { status: 'failed', answer: null, error, loop: 'stopped' };
  const parts = finished.map((t) => `## ${t.subagent_type}\n\n${t.result}`);
  const answer = [text, finished.length > 0 ? INTRO[detectLanguage(input)] : '', ...parts]
    .filter(Boolean)
    .join('\n\n');
  return { status: 'degraded', answer, error, loop: 'degraded' };
}
