// A review in words, for lists, for one that is shown, and for a prompt. Pure; whoever prints cleans the text.
import type { Proposal } from '../domain/proposal.ts';
import type { MemoryDecision, MemoryRequest, Review } from '../domain/review.ts';
import { proposalsText } from './proposals.ts';

export type ReviewView = Omit<Review, 'run_id' | 'call_id'> & { allowed: string | null };

export const whoAsks = ({ path }: Pick<ReviewView, 'path'>): string => path.join(' › ');

/** What is asked, in one text. */
export function askedOf({ kind, request }: Review | ReviewView): string {
  const asked = { kind, request } as Pick<Review, 'kind' | 'request'> as Review;
  if (asked.kind === 'question') return asked.request.question;
  if (asked.kind === 'approval')
    return [asked.request.action, asked.request.detail].filter(Boolean).join('\n');
  const { items } = asked.request;
  return `what of this is to be remembered?\n\n${proposalsText(items)}`;
}

/** What is asked in one short line. */
export const briefOf = (review: Review | ReviewView): string => {
  const proposals = proposalsOf(review as ReviewView);
  if (proposals.length > 0) return `remember ${proposals.map(({ path }) => path).join(', ')}?`;
  const line = askedOf(review).trim().split('\n', 1)[0] ?? '';
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
};

export const proposalsOf = ({ kind, request }: ReviewView): Proposal[] =>
  kind === 'memory' ? (request as MemoryRequest).items : [];

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
  const said = { approve: 'approved', edit: 'approved with changes', reject: 'rejected' };
  const { items } = decision as MemoryDecision;
  return items.map((item) => `${item.path} ${said[item.decision]}`).join(', ');
}

/** The commands that decide it. */
export function howTo({ kind, review_id }: ReviewView): string {
  if (kind === 'question') return `troupe reviews answer ${review_id} "your answer"`;
  const some = kind === 'memory' ? ' [--only PATH] [--note PATH=TEXT]' : '';
  return `troupe reviews approve ${review_id}${some}   or   troupe reviews reject ${review_id}`;
}
