// An answer that nobody waits for any more (`review: "defer"`) reaches the agent that asked as a message, as long as it
// is at work. When its work has ended, so has the question.
import type { Log } from '../domain/ports.ts';
import { isOpenQuery } from '../domain/query.ts';
import type { Review } from '../domain/review.ts';
import { lateAnswer } from '../reviews/told.ts';
import type { Tasks } from '../tasks/index.ts';
import type { QueryService } from './service.ts';

export type LateAnswersDeps = {
  tasks: Pick<Tasks, 'message'>;
  queries: Pick<QueryService, 'get' | 'message'>;
  log: Log;
};

/** To be called with each decided review. */
export function createLateAnswers({ tasks, queries, log }: LateAnswersDeps) {
  async function tell({ task_id, query_id }: Review, text: string): Promise<void> {
    if (task_id !== null) await tasks.message(task_id, text, 'steer');
    else if (isOpenQuery((await queries.get(query_id)).status))
      await queries.message(query_id, text);
  }
  return function onDecided(review: Review): void {
    const text = lateAnswer(review);
    if (text !== null)
      tell(review, text).catch((err: unknown) =>
        log.warn({ err, review_id: review.review_id }, 'a late answer did not reach its agent'),
      );
  };
}
