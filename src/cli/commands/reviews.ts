// `troupe reviews`: the inbox. What waits for a person, and the decisions.
import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { REVIEW_KINDS, REVIEW_STATUSES } from '../../domain/review.ts';
import type { Cli, Run } from '../cli.ts';
import { type Client, segment } from '../client.ts';
import { CliError, EXIT } from '../exit.ts';
import { rowLimit, wholeNumber } from '../number.ts';
import { approvalOf, type Changes, changesSomething } from '../proposals.ts';
import {
  askedOf,
  briefOf,
  decidedOf,
  howTo,
  optionsOf,
  proposalsOf,
  type ReviewView,
  whoAsks,
} from '../review-text.ts';

const path = (id: string): string => `/v1/reviews/${segment(id)}`;

/** The key makes a repetition by a proxy harmless. */
export const decide = (client: Client, id: string, body: object): Promise<ReviewView> =>
  client.post<ReviewView>(path(id), body, { headers: { 'idempotency-key': randomUUID() } });

type ListOptions = { status: string; kind?: string; query?: string; limit: number };

async function list(cli: Cli, o: ListOptions): Promise<number> {
  const client = await cli.connect();
  const params = {
    status: o.status === 'all' ? undefined : o.status,
    kind: o.kind,
    query_id: o.query,
  };
  const rows = await client.list<ReviewView>('/v1/reviews', params, o.limit);
  if (cli.json) cli.term.json(rows);
  else if (rows.length === 0)
    cli.term.line(o.status === 'pending' ? 'nothing waits for a person' : 'no reviews');
  else
    cli.term.table(rows, [
      { title: 'REVIEW', value: (r) => r.review_id },
      { title: 'KIND', value: (r) => r.kind },
      { title: 'STATUS', value: (r) => r.status },
      { title: 'EXPIRES', value: (r) => r.expires_at },
      { title: 'WHO', value: (r) => whoAsks(r) },
      { title: 'ASKS', value: briefOf, cut: true },
    ]);
  return EXIT.ok;
}

async function show(cli: Cli, id: string): Promise<number> {
  const client = await cli.connect();
  const review = await client.get<ReviewView>(path(id));
  if (cli.json) {
    cli.term.json(review);
    return EXIT.ok;
  }
  const { term } = cli;
  term.fields([
    ['review', review.review_id],
    ['kind', review.kind],
    ['status', review.status],
    ['who', whoAsks(review)],
    ['works on', review.context],
    ['query', review.query_id],
    ['task', review.task_id],
    ['waited for', review.blocking ? 'yes' : 'no'],
    ['asked', review.created_at],
    ['expires', review.expires_at],
    ['decided', review.decided_at],
    ['by', review.decided_by],
    ['decision', decidedOf(review)],
  ]);
  term.line();
  term.text(askedOf(review));
  for (const [i, option] of optionsOf(review).entries()) term.line(`  ${i + 1}  ${option}`);
  if (review.status === 'pending') {
    term.line();
    term.line({ tone: 'dim', text: `decide with: ${howTo(review)}` });
  }
  return EXIT.ok;
}

async function send(cli: Cli, id: string, body: object): Promise<number> {
  const review = await decide(await cli.connect(), id, body);
  if (cli.json) cli.term.json(review);
  else cli.term.line(`${review.review_id}  ${review.status}: ${decidedOf(review)}`);
  return EXIT.ok;
}

function answer(
  cli: Cli,
  id: string,
  text: string | undefined,
  { option }: { option?: number },
): Promise<number> {
  if ((text === undefined) === (option === undefined))
    throw new CliError(
      EXIT.usage,
      'one_answer',
      text === undefined ? 'there is no answer' : 'there are two answers',
      'give the text of the answer, or --option N',
    );
  return send(cli, id, option === undefined ? { answer: text } : { option });
}

type Verdict = { session?: boolean; reason?: string };
const verdict = (cli: Cli, id: string, decision: string, { reason }: Verdict): Promise<number> =>
  send(cli, id, { decision, ...(reason === undefined ? {} : { reason }) });

/** Some of what is proposed to be remembered, or with changes. */
async function approveSome(cli: Cli, id: string, changes: Changes): Promise<number> {
  const client = await cli.connect();
  const review = await client.get<ReviewView>(path(id));
  if (review.kind !== 'memory')
    throw new CliError(
      EXIT.usage,
      'no_proposals',
      `review ${id} is of kind ${review.kind}: there is nothing to choose from or to change`,
      `decide with: ${howTo(review)}`,
    );
  return send(cli, id, approvalOf(proposalsOf(review), changes));
}

export function addReviews(program: Command, run: Run): void {
  const reviews = program.command('reviews').description('The inbox: what waits for a person.');
  reviews
    .command('list', { isDefault: true })
    .description('list what waits for a person, newest first')
    .addOption(
      new Option('--status <status>', 'only these')
        .choices([...REVIEW_STATUSES, 'all'])
        .default('pending'),
    )
    .addOption(new Option('--kind <kind>', 'only these').choices([...REVIEW_KINDS]))
    .option('--query <id>', 'only those of one query')
    .option('--limit <n>', 'at most so many', rowLimit, 50)
    .action((o: ListOptions) => run((cli) => list(cli, o)));
  reviews
    .command('show <id>')
    .description('one review: who asks, what, and how to decide')
    .action((id: string) => run((cli) => show(cli, id)));
  reviews
    .command('answer <id> [text]')
    .description('answer a question in your own words, or with one of its options')
    .option('--option <n>', 'number of the option', wholeNumber(1, 100))
    .action((id: string, text: string | undefined, o: { option?: number }) =>
      run((cli) => answer(cli, id, text, o)),
    );
  reviews
    .command('approve <id>')
    .description('say yes: to an action, or to everything that is proposed to be remembered')
    .option('--session', 'also to the same action later in this query')
    .option('--only <path...>', 'remember only these, and reject the others')
    .option('--layer <path=layer...>', 'remember it in another layer')
    .option('--note <path=text...>', 'remember this text; an empty one: the file itself')
    .option('--rationale <path=text...>', 'with this reason')
    .option('--reason <text>', 'for whoever asked')
    .action((id: string, o: Verdict & Changes) =>
      run((cli) =>
        changesSomething(o)
          ? approveSome(cli, id, o)
          : verdict(cli, id, o.session === true ? 'session' : 'approve', o),
      ),
    );
  reviews
    .command('reject <id>')
    .description('say no')
    .option('--reason <text>', 'for whoever asked')
    .action((id: string, o: Verdict) => run((cli) => verdict(cli, id, 'reject', o)));
}
