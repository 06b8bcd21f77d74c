import { joinSignals } from '../domain/join-signals.ts';
// Puts a pending review to the person at the terminal while a query is followed, and sends the decision. Without a
// person it says how to answer. What is decided elsewhere meanwhile ends the prompt.
import type { Cli } from './cli.ts';
import { type Client, segment } from './client.ts';
import { decide } from './commands/reviews.ts';
import { CliError } from './exit.ts';
import { typedDecision } from './proposals.ts';
import { askedOf, howTo, optionsOf, proposalsOf, type ReviewView, whoAsks } from './review-text.ts';

/** How often it is looked whether somebody else has decided. */
const LOOK_MS = 1_000;

/** The body of the decision that was typed, or null: not now. What fits nothing is sent, and refused with what does. */
function typed(review: ReviewView, text: string): object | null {
  const answer = text.trim();
  if (answer === '') return null;
  if (review.kind === 'question') {
    const number = /^\d{1,3}$/.test(answer) ? Number(answer) : 0;
    return optionsOf(review)[number - 1] === undefined ? { answer } : { option: number };
  }
  if (review.kind === 'memory')
    return typedDecision(proposalsOf(review), answer) ?? { decision: answer };
  return { decision: answer === 'y' ? 'approve' : answer === 'n' ? 'reject' : answer };
}

function show({ term }: Cli, review: ReviewView): void {
  term.note();
  term.note({ tone: 'warn', text: `? ${whoAsks(review)}` }, ' asks');
  for (const line of askedOf(review).split('\n')) term.note(`  ${line}`);
  for (const [i, option] of optionsOf(review).entries()) term.note(`    ${i + 1}  ${option}`);
}

const promptOf = ({ kind, request }: ReviewView): string => {
  if (kind === 'memory') return 'yes = all, no = none, or the numbers to keep (empty = later): ';
  if (kind !== 'question') return 'yes, no, or "session" for the rest of this query: ';
  return 'options' in request && request.options.length > 0
    ? 'answer (a number or your own words; empty = later): '
    : 'answer (empty = later): ';
};

export type AskDeps = {
  cli: Cli;
  client: Client;
  /** The following has ended. */
  signal: AbortSignal;
  /** Ctrl-C at the prompt. */
  onInterrupt(): void;
};

/** Resolves when it is decided, left for later, or no longer pending. */
export async function askPerson(deps: AskDeps, review_id: string): Promise<void> {
  const { cli, client, signal } = deps;
  const look = () => client.get<ReviewView>(`/v1/reviews/${segment(review_id)}`);
  const review = await look();
  if (review.status !== 'pending') return;
  const later = () => cli.term.note({ tone: 'dim', text: `answer with: ${howTo(review)}` });
  if (!cli.term.interactive || cli.json) {
    if (!cli.json) show(cli, review);
    return later();
  }
  show(cli, review);
  const elsewhere = new AbortController();
  const either = joinSignals([signal, elsewhere.signal]);
  const watch = setInterval(() => {
    look().then(
      (now) => now.status !== 'pending' && elsewhere.abort(now.status),
      () => {},
    );
  }, LOOK_MS);
  try {
    for (;;) {
      const reply = await cli.term.ask(promptOf(review), either.signal);
      if (elsewhere.signal.aborted)
        return cli.term.note({ tone: 'dim', text: `\nit is ${elsewhere.signal.reason} now` });
      if (reply === 'interrupt') {
        later();
        return deps.onInterrupt();
      }
      const body = reply === null ? null : typed(review, reply);
      if (body === null) return later();
      if (await sent(cli, client, review_id, body)) return;
    }
  } finally {
    clearInterval(watch);
    either.release();
  }
}

/** False: it did not fit, and the person may try again. */
async function sent(cli: Cli, client: Client, review_id: string, body: object): Promise<boolean> {
  try {
    await decide(client, review_id, body);
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    cli.term.note({ tone: 'bad', text: error.message });
    return error.code !== 'decision_invalid';
  }
}
