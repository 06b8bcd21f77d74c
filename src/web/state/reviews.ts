// What waits for a person: kept by events, so that the count in the title is always true.
import { computed, effect, signal } from '@preact/signals';
import { ApiError, get, type Page, post, query as search } from '../net/api.ts';
import { generation, onEvents } from './live.ts';

export type Evidence = { path: string; from: number; to: number; quote: string };
export type Proposal = {
  path: string;
  layer: string;
  rationale: string;
  /** Empty: the text of the file is remembered. */
  note: string;
  evidence: Evidence[];
  confidence: number;
  confidence_why: string[];
  file_size: number;
};
export type Review = {
  review_id: string;
  kind: 'question' | 'approval' | 'memory';
  query_id: string;
  task_id: string | null;
  role: string;
  path: string[];
  context: string;
  request: {
    question?: string;
    options?: string[];
    action?: string;
    detail?: string;
    subject?: string;
    items?: Proposal[];
  };
  decision: unknown;
  status: 'pending' | 'decided' | 'expired' | 'withdrawn';
  created_at: string;
  expires_at: string;
  decided_at: string | null;
  decided_by: string | null;
};

export const pending = signal<Review[]>([]);
export const reviewsError = signal<string | null>(null);
export const waiting = computed(() => pending.value.length);

export async function loadReviews(): Promise<void> {
  try {
    const path = `/v1/reviews${search({ status: 'pending', limit: 200 })}`;
    const { data } = await get<Page<Review>>(path);
    // Oldest first: whoever has waited longest is asked for first, and nothing moves under a hand.
    pending.value = [...data].reverse();
    reviewsError.value = null;
  } catch (error) {
    reviewsError.value = (error as Error).message;
  }
}

const ICON = '/icon.svg';
const ICON_WAITING = '/icon-waiting.svg';

export function keepReviews(): void {
  onEvents((events) => {
    if (events.some((e) => (e.kind as string) === 'review')) void loadReviews();
  });
  generation.subscribe(() => void loadReviews());
  effect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (link) link.href = waiting.value > 0 ? ICON_WAITING : ICON;
  });
}

export const title = signal('Troupe');
effect(() => {
  document.title = waiting.value > 0 ? `(${waiting.value}) ${title.value}` : title.value;
});

const told = new Set<(id: string) => void>();
/** Called when somebody else had decided first. */
export function whenElsewhere(tell: (id: string) => void): () => void {
  told.add(tell);
  return () => void told.delete(tell);
}

/** Decides; a decision that somebody else has made first is told, not shown as a fault. */
export async function decide(review: Review, decision: object): Promise<void> {
  try {
    await post(`/v1/reviews/${review.review_id}`, decision);
  } catch (error) {
    if (!(error instanceof ApiError && error.problem.status === 409)) throw error;
    for (const tell of told) tell(review.review_id);
  }
  await loadReviews();
}
