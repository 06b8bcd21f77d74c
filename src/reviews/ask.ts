// An agent asks: whether somebody can be asked at all, the row in the inbox, and the wait for its decision.
// Idempotent by the tool call: whoever asks again after a crash waits for the same review.
import type { Speaker } from '../domain/brain.ts';
import { AppError } from '../domain/errors.ts';
import type { Store, Tx } from '../domain/ports.ts';
import { isOpenQuery, type QueryOptions } from '../domain/query.ts';
import type { AgentReviews, AskAnswer, AskCall, Review } from '../domain/review.ts';
import { isOpen } from '../domain/subagent.ts';
import { visibleText } from '../domain/visible-text.ts';
import type { Pending } from './pending.ts';
import { placeOf } from './place.ts';
import { type NewReview, openReview } from './rows.ts';
import { approvedBefore, NOT_APPROVED, notAsked, toldOf } from './told.ts';

export type AskDeps = {
  store: Store;
  pending: Pending;
  timeout_s: number;
  settled(review_id: string, ms: number, signal: AbortSignal): Promise<Review>;
};

/** Nobody asks for an agent or a query that has ended: its reviews have been withdrawn. */
async function refuseOfEnded(t: Tx, { query_id, agent_id }: Speaker): Promise<QueryOptions> {
  const query = await t.queries.get(query_id);
  const agent = agent_id === null ? null : await t.subagents.get(agent_id);
  if (!query || !isOpenQuery(query.status) || (agent && !isOpen(agent.state)))
    throw new AppError('cancelled', 'the agent or its query has ended: nobody is asked any more');
  return query.options;
}

function requestOf(call: AskCall): Pick<NewReview, 'kind' | 'request'> {
  if (call.kind === 'question') {
    const options = call.options.map(visibleText).filter(Boolean);
    return { kind: 'question', request: { question: visibleText(call.question), options } };
  }
  const { action, detail, subject } = call;
  const request = { action: visibleText(action), detail: visibleText(detail), subject };
  return { kind: 'approval', request };
}

export function createAsk({ store, pending, timeout_s, settled }: AskDeps): AgentReviews {
  /** In one unit: the answer when nobody has to be asked, else the review. */
  async function put(t: Tx, by: Speaker, call: AskCall): Promise<AskAnswer | Review> {
    const known = await t.reviews.byCall(by.run_id, call.call_id);
    if (known) return known;
    const { review: mode } = await refuseOfEnded(t, by);
    const { query_id, task_id, agent_id, role, run_id } = by;
    if (call.kind === 'approval') {
      if (await t.reviews.granted(query_id, call.subject)) return approvedBefore();
      if (mode !== 'wait') return NOT_APPROVED;
    }
    if (mode === 'off') return notAsked();
    return openReview(t, {
      ...{ query_id, task_id, agent_id, role, run_id, call_id: call.call_id, timeout_s },
      ...(await placeOf(t, by)),
      ...requestOf(call),
      blocking: mode === 'wait',
    } as NewReview);
  }

  return {
    async ask(by, call, signal) {
      const known = await store.reads.reviews.byCall(by.run_id, call.call_id);
      const found = known ?? (await store.tx((t) => put(t, by, call)));
      if (!('review_id' in found)) return found;
      const told = toldOf(found);
      if (!told.ok || told.state !== 'pending') return told;
      return toldOf(await settled(found.review_id, call.wait_ms, signal));
    },
    untilAnswered(query_id, agent_id) {
      const held = pending.ofQuery(query_id).filter((r) => r.blocking && r.agent_id === agent_id);
      return held.length === 0 ? null : Promise.all(held.map((r) => r.closed)).then(() => {});
    },
    holds: (query_id) => pending.ofQuery(query_id).some((r) => r.blocking),
  };
}
