// What the agent that asked is told, from the row alone: the same words before and after a restart. Pure.
import type { AskAnswer, Review } from '../domain/review.ts';
import { INTERRUPTED } from '../domain/thread.ts';

const ASSUME = 'Decide yourself, go on, and say in your result what you assumed.';
/** `review: "off"`: the question never reaches the inbox. */
export const NOBODY = `Nobody can be asked in this query. ${ASSUME}`;
const LATER =
  'Nobody is waited for in this query: your question is in the inbox, and an answer that comes while you work reaches you as a message.';

const closed = (text: string, approved = false): AskAnswer => ({
  ok: true,
  state: 'closed',
  text,
  approved,
});

/** An approval that nobody can give. */
export const NOT_APPROVED: AskAnswer = {
  ...{ ok: true, state: 'nobody', approved: false },
  text: 'Not approved: nobody can be asked in this query.',
};
export const notAsked = (): AskAnswer => closed(NOBODY);
export const approvedBefore = (): AskAnswer => closed('Approved for the rest of this query.', true);

const seconds = ({ created_at, expires_at }: Review): number =>
  Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 1000);

function ofQuestion(review: Extract<Review, { kind: 'question' }>): AskAnswer {
  const { decision, status, decided_by } = review;
  if (decision) {
    const option = decision.option === null ? '' : ` (option ${decision.option})`;
    return closed(`answer${option}: ${decision.answer}`);
  }
  if (status === 'expired') return closed(`Nobody answered within ${seconds(review)} s. ${ASSUME}`);
  return closed(`The question was withdrawn: ${decided_by}.`);
}

function ofApproval(review: Extract<Review, { kind: 'approval' }>): AskAnswer {
  const { decision, status, decided_by } = review;
  const reason = decision?.reason ? `: ${decision.reason}` : '.';
  if (decision?.decision === 'deny') return closed(`Not approved${reason}`);
  if (decision) return closed(`Approved${reason}`, true);
  if (status === 'expired')
    return closed(`Not approved: nobody decided within ${seconds(review)} s.`);
  return closed(`Not approved: the request was withdrawn (${decided_by}).`);
}

/** `pending` while somebody is waited for. */
export function toldOf(review: Review): AskAnswer {
  if (review.status === 'pending')
    return review.blocking ? { ok: true, state: 'pending' } : closed(`${LATER} ${ASSUME}`);
  if (review.kind === 'question') return ofQuestion(review);
  if (review.kind === 'approval') return ofApproval(review);
  return closed(`The proposals are ${review.status}.`);
}

/**
 * What is put in the place of a lost result of the call that asked; null: nothing is known of it. An approved call may
 * have begun: the approval was for that call alone.
 */
export function answerLost(review: Review): string | null {
  const told = toldOf(review);
  if (!told.ok || told.state === 'pending') return null;
  return told.approved
    ? `${INTERRUPTED} It had been approved; a repetition is asked for again.`
    : told.text;
}

/** The message that brings a late answer to an agent that has gone on. */
export function lateAnswer(review: Review): string | null {
  if (review.kind !== 'question' || !review.decision || review.blocking) return null;
  return `Your question "${review.request.question}" has been answered by a person: ${review.decision.answer}`;
}
