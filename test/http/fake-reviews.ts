// Reviews in memory, with the real reading of decisions.
import { AppError } from '../../src/domain/errors.ts';
import { uuidv7 } from '../../src/domain/ids.ts';
import type { Tx } from '../../src/domain/ports.ts';
import type { Review, ReviewOf } from '../../src/domain/review.ts';
import type { ReviewService } from '../../src/http/services.ts';
import { allowedOf, readDecision } from '../../src/reviews/kinds.ts';

export function questionRow(more: Partial<ReviewOf<'question'>> = {}): ReviewOf<'question'> {
  const stamp = new Date().toISOString();
  return {
    review_id: uuidv7(),
    kind: 'question',
    query_id: uuidv7(),
    task_id: uuidv7(),
    agent_id: 'sa_0123456789ab',
    role: 'coder',
    path: ['main agent', 'coder agent #1'],
    context: 'write it',
    request: { question: 'Which database?', options: ['SQLite', 'PostgreSQL'] },
    decision: null,
    status: 'pending',
    blocking: true,
    run_id: 'run',
    call_id: 'call',
    created_at: stamp,
    expires_at: stamp,
    decided_at: null,
    decided_by: null,
    ...more,
  };
}

export function fakeReviews(tx: Tx): ReviewService & { rows: Map<string, Review> } {
  const rows = new Map<string, Review>();
  const find = (id: string): Review => {
    const found = rows.get(id);
    if (!found) throw new AppError('not_found', `no review ${id}`);
    return found;
  };
  return {
    rows,
    get: async (id) => find(id),
    list: async ({ status }) => {
      const all = [...rows.values()].filter((r) => status === undefined || r.status === status);
      return { data: all.reverse(), next_cursor: null };
    },
    async decide(id, given, by, also) {
      const review = find(id);
      if (review.status !== 'pending') {
        const { status, decision } = review;
        throw new AppError('conflict', 'already decided', { data: { status, decision } });
      }
      const decision = readDecision(review, given);
      const done = { ...review, decision, status: 'decided', decided_by: by } as Review;
      rows.set(id, done);
      await also?.(tx, done);
      return done;
    },
    waitingFor: ({ query_id, task_id }) =>
      [...rows.values()]
        .filter((r) => r.status === 'pending' && r.query_id === query_id)
        .filter((r) => task_id === undefined || r.task_id === task_id)
        .map((r) => r.review_id),
    allowed: allowedOf,
  };
}
