import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../src/domain/run.ts';
import type { Task } from '../../src/domain/task.ts';
import { endingOf } from '../../src/queries/ending.ts';
import { outcome } from '../support/tasks-rows.ts';

const done = (subagent_type: string, result: string): Task =>
  ({ subagent_type, result, status: 'completed' }) as Task;
const broken: RunOutcome = outcome({
  status: 'failed',
  end_reason: 'error',
  error: { code: 'model_error', message: 'the model is gone', reasons: ['the model is gone'] },
});

describe('how a turn ends for its user', () => {
  it('a failed final answer still gives every finished result, as degraded, with the error beside it', () => {
    const ending = endingOf('do it', broken, [
      done('coder', 'wrote a.ts'),
      done('reviewer', 'fine'),
    ]);
    expect(ending).toMatchObject({
      status: 'degraded',
      loop: 'degraded',
      error: { code: 'model_error' },
    });
    expect(ending.answer).toContain('wrote a.ts');
    expect(ending.answer).toContain('fine');
  });
  it('says so in the language of the request', () => {
    expect(endingOf('이것을 해 줘', broken, [done('coder', 'x')]).answer).toContain('최종 요약을');
    expect(endingOf('请完成这个任务', broken, [done('coder', 'x')]).answer).toContain('未能写出');
  });
  it('with nothing finished it has failed, with its reason', () => {
    expect(endingOf('do it', broken, [])).toMatchObject({ status: 'failed', loop: 'failed' });
  });
  it('at the iteration cap what is there is the answer, and it is called degraded, never completed', () => {
    const capped = outcome({ ...broken, end_reason: 'iteration_cap', text: 'half of it' });
    expect(endingOf('do it', capped, [])).toMatchObject({
      status: 'degraded',
      answer: 'half of it',
    });
  });
});
