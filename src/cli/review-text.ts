// A review in words, for lists, for one that is shown, and for a prompt. Pure; whoever prints cleans the text.
import type { Review } from '../domain/review.ts';

export type ReviewView = Omit<Review, 'run_id' | 'call_id'> & { allowed: string | null };

export const whoAsks = ({ path }: Pick<ReviewView, 'path'>): string => path.join(' › ');

/** What is asked, in one text. */
export function askedOf({ kind, request }: Review | ReviewView): string {
  const asked = { kind, request } as Pick<Review, 'kind' | 'request'> as Review;
  if (asked.kind === 'question') return asked.request.question;
  if (asked.kind === 'approval')
    return [asked.request.action, asked.request.detail].filter(Boolean).join('\n');
  const { items } = asked.request;
  return items
    .map(({ item_id, title, content }) => `${item_id}  ${title}\n${content}`)
    .join('\n\n');
}

export const optionsOf = ({ kind, request }: ReviewView): string[] =>
  kind === 'question' ? (request as { options: string[] }).options : [];

/** What was decided; empty while nothing is. */
export function decidedOf({ kind, decision }: ReviewView): string {
  if (decision === null) return '';
  if (kind === 'question') return (decision as { answer: string }).answer;
  if (kind === 'approval') {
    const given = decision as { decision: string; reason: string | null };
    return [given.decision, given.reason].filter(Boolean).join(': ');
  }
  const { items } = decision as { items: { item_id: string; decision: string }[] };
  return items.map((item) => `${item.item_id} ${item.decision}`).join(', ');
}

/** The commands that decide it. */
export function howTo({ kind, review_id }: ReviewView): string {
  if (kind === 'question') return `troupe reviews answer ${review_id} "your answer"`;
  return `troupe reviews approve ${review_id}   or   troupe reviews reject ${review_id}`;
}
