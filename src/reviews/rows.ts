// How a review comes to exist and how it ends: row and event in one unit of work of the caller.
import { uuidv7 } from '../domain/ids.ts';
import type { Tx } from '../domain/ports.ts';
import type { Review, ReviewKind, ReviewOf, ReviewStatus } from '../domain/review.ts';
import { outlives, titleOf } from './kinds.ts';

/** What the caller says; times, id and status are set here. `timeout_s`: until it expires. */
export type NewReview = {
  [K in ReviewKind]: Pick<
    ReviewOf<K>,
    | ('kind' | 'query_id' | 'task_id' | 'agent_id' | 'role' | 'path' | 'context' | 'request')
    | ('blocking' | 'run_id' | 'call_id')
  > & { timeout_s: number };
}[ReviewKind];

async function append(t: Tx, review: Review, by: string | null): Promise<void> {
  const { review_id, kind, path, blocking, created_at, expires_at, decision } = review;
  const { query_id, task_id, agent_id, role } = review;
  await t.events.append({
    kind: 'review',
    state: review.status,
    detail: titleOf(review),
    ...{ query_id, task_id, agent_id, role },
    data: { review_id, review_kind: kind, path, blocking, created_at, expires_at, decision, by },
  });
}

/** A repetition of the tool call finds what is there. */
export async function openReview(t: Tx, { timeout_s, ...given }: NewReview): Promise<Review> {
  const { run_id, call_id } = given;
  const known = run_id && call_id ? await t.reviews.byCall(run_id, call_id) : null;
  if (known) return known;
  const review = {
    ...given,
    review_id: uuidv7(),
    decision: null,
    status: 'pending',
    created_at: t.at,
    expires_at: new Date(Date.parse(t.at) + timeout_s * 1000).toISOString(),
    decided_at: null,
    decided_by: null,
  } as Review;
  await t.reviews.insert(review);
  await append(t, review, null);
  return review;
}

/** Null when it is closed already: then nothing is written. */
export async function closeReview(
  t: Tx,
  review: Review,
  to: { status: Exclude<ReviewStatus, 'pending'>; decision: Review['decision']; by: string },
): Promise<Review | null> {
  const { status, decision, by } = to;
  const patch = { status, decision, decided_at: t.at, decided_by: by };
  if (!(await t.reviews.close(review.review_id, patch))) return null;
  const closed = { ...review, ...patch } as Review;
  await append(t, closed, by);
  return closed;
}

/** What this agent asked is needed no more: it has ended, or goes on with something else. */
export async function withdrawOfAgent(
  t: Tx,
  { query_id, agent_id }: { query_id: string; agent_id: string },
  why: string,
): Promise<void> {
  for (const review of await t.reviews.pending(query_id))
    if (review.agent_id === agent_id) await withdraw(t, review, why);
}

/** The query ends. What may be decided after its end stays, unless it was cut off. */
export async function withdrawOfQuery(
  t: Tx,
  query_id: string,
  how: 'ended' | 'cut off',
  why: string,
): Promise<void> {
  for (const review of await t.reviews.pending(query_id))
    if (how === 'cut off' || !outlives(review.kind)) await withdraw(t, review, why);
}

const withdraw = (t: Tx, review: Review, by: string) =>
  closeReview(t, review, { status: 'withdrawn', decision: null, by });
