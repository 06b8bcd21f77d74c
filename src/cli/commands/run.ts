// `troupe run`: asks, watches the tree live, prints the answer and the files. The exit code is the query's status.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { joinSignals } from '../../domain/join-signals.ts';
import { BRANCH_MODES, type Query, type QueryStatus, REVIEW_MODES } from '../../domain/query.ts';
import { askPerson } from '../ask-person.ts';
import type { Cli, Run } from '../cli.ts';
import { type Client, segment } from '../client.ts';
import { CliError, EXIT, exitOfQuery } from '../exit.ts';
import { followQuery } from '../follow-query.ts';
import { watchInterrupts } from '../interrupt.ts';
import { amount, seconds, tokenLimit } from '../number.ts';
import { fileTable, listFiles, type QueryFile } from '../query-files.ts';
import { usageLine } from '../usage.ts';

type RunOptions = {
  model?: string;
  dir?: string;
  project?: string;
  branch?: string;
  timeout?: number;
  background?: boolean;
  review?: string;
  maxTokens?: number;
  maxUsd?: number;
  detach?: boolean;
};

/** After a cancel the server needs at most its own cancel deadline (5 s); then nobody waits any longer. */
const CANCEL_MS = 15_000;

/** In a terminal somebody is there to be asked. */
const reviewOf = (cli: Cli, { review, detach }: RunOptions): { review?: string } => {
  if (review !== undefined) return { review };
  return cli.term.interactive && !cli.json && detach !== true ? { review: 'wait' } : {};
};

async function accept(cli: Cli, client: Client, request: string, o: RunOptions): Promise<Query> {
  const body = {
    input: request,
    ...(o.model === undefined ? {} : { model: o.model }),
    ...(o.maxTokens === undefined ? {} : { max_tokens: o.maxTokens }),
    ...(o.maxUsd === undefined ? {} : { max_usd: o.maxUsd }),
    ...(o.background === undefined ? {} : { background: true }),
    ...reviewOf(cli, o),
    ...(o.branch === undefined ? {} : { branch: o.branch }),
    ...(o.project === undefined ? {} : { project: o.project }),
    ...(o.dir === undefined ? {} : { workdir: resolve(cli.deps.cwd, o.dir) }),
  };
  // The key makes a repetition by hand or by a proxy harmless.
  return await client.post<Query>('/v1/queries', body, {
    headers: { 'idempotency-key': randomUUID() },
  });
}

function printResult(cli: Cli, query: Query, files: QueryFile[]): void {
  const { term } = cli;
  term.line();
  if (query.answer !== null && query.answer !== '') term.text(query.answer);
  if (query.error !== null) {
    const { message, reasons } = query.error;
    term.line({ tone: 'bad', text: `${query.status}: ${message}` });
    for (const reason of reasons.slice(0, 20)) if (reason !== message) term.line(`  ${reason}`);
  }
  if (query.iterations > 0) term.line({ tone: 'dim', text: usageLine(query) });
  if (files.length === 0) return;
  term.line();
  term.line(
    { tone: 'bold', text: `${files.length} file${files.length === 1 ? '' : 's'}` },
    ` in ${query.workdir}`,
  );
  fileTable(term, files);
}

/** Asks for the cancel once; an ended query is no error. */
const cancelOf =
  (client: Client, id: string) =>
  async (reason: string): Promise<void> => {
    try {
      await client.post(`/v1/queries/${segment(id)}/cancel`, { reason });
    } catch (error) {
      if (!(error instanceof CliError && error.code === 'conflict')) throw error;
    }
  };

type Watched = { status: QueryStatus | null; why: 'ended' | 'interrupted' | 'timed_out' };

async function watch(
  cli: Cli,
  client: Client,
  id: string,
  limit: number | undefined,
): Promise<Watched> {
  const cancel = cancelOf(client, id);
  const stop = new AbortController();
  let late = false;
  const timers: NodeJS.Timeout[] = [];
  const giveUp = () => {
    timers.push(setTimeout(() => stop.abort(), CANCEL_MS));
  };
  const cancelThenGiveUp = async (reason: string) => {
    giveUp();
    await cancel(reason);
  };
  const { leave, raise, cancelled, close } = watchInterrupts({
    term: cli.term,
    onInterrupt: cli.deps.onInterrupt,
    cancel: () => cancelThenGiveUp('Ctrl-C at the command line'),
  });
  if (limit !== undefined)
    timers.push(
      setTimeout(() => {
        late = true;
        cli.term.note({ tone: 'warn', text: `not done after ${limit} s: cancelling…` });
        cancelThenGiveUp(`not done after ${limit} s`).catch(() => stop.abort());
      }, limit * 1000),
    );
  const either = joinSignals([leave, stop.signal]);
  try {
    const { signal } = either;
    const ask = (review_id: string) =>
      askPerson({ cli, client, signal, onInterrupt: raise }, review_id);
    const status = await followQuery(cli, client, id, signal, ask);
    if (leave.aborted || cancelled()) return { status, why: 'interrupted' };
    return { status, why: late ? 'timed_out' : 'ended' };
  } finally {
    close();
    either.release();
    for (const timer of timers) clearTimeout(timer);
  }
}

function exitOf({ status, why }: Watched): number {
  // It may have ended by itself before the cancel reached it: then that is what counts.
  if (why !== 'ended' && (status === null || status === 'cancelled'))
    return why === 'interrupted' ? EXIT.interrupted : EXIT.timed_out;
  return exitOfQuery(status ?? 'failed');
}

async function runRequest(cli: Cli, request: string, o: RunOptions): Promise<number> {
  if (request.trim() === '')
    throw new CliError(
      EXIT.usage,
      'empty_request',
      'the request is empty',
      'say what is to be done',
    );
  const client = await cli.connect();
  const query = await accept(cli, client, request, o);
  const id = query.query_id;
  if (o.detach === true) {
    if (cli.json) cli.term.json(query);
    else cli.term.line(id);
    return EXIT.ok;
  }
  if (!cli.json) cli.term.line({ tone: 'bold', text: 'query ' }, id);
  const watched = await watch(cli, client, id, o.timeout);
  const exit_code = exitOf(watched);
  if (watched.status === null) {
    cli.term.note(`left; \`troupe queries show ${id}\` tells how it goes on`);
    if (cli.json)
      cli.term.json({ kind: 'result', exit_code, query: { ...query, status: null }, files: [] });
    return exit_code;
  }
  const final = await client.get<Query>(`/v1/queries/${segment(id)}`);
  const files = await listFiles(client, id).catch(() => []);
  if (cli.json) cli.term.json({ kind: 'result', exit_code, query: final, files });
  else printResult(cli, final, files);
  return exit_code;
}

export function addRun(program: Command, run: Run): void {
  program
    .command('run')
    .summary('send a request and watch it live')
    .description(
      'Sends a request, prints a line for every change in its tree (⚡ where it branches), then the answer\n' +
        'and the files. Ctrl-C asks to cancel; a second Ctrl-C leaves and the query goes on.',
    )
    .argument('<request>', 'what is to be done, in quotes')
    .option('--model <model>', 'provider:model for the main agent')
    .option('--dir <path>', 'work in this folder (the server must allow it in workspace_roots)')
    .option('--project <name>', 'whose memory it has (default: the folder of --dir, else default)')
    .addOption(
      new Option('--branch <mode>', 'whether the main agent splits it by itself').choices([
        ...BRANCH_MODES,
      ]),
    )
    .option('--timeout <s>', 'cancel it when it is not done after so many seconds', seconds)
    .option('--max-tokens <n>', 'spend at most so many tokens on all of it', tokenLimit)
    .option('--max-usd <usd>', 'spend at most so much on all of it', amount)
    .option('--background', 'the answer need not wait for every task')
    .addOption(
      new Option(
        '--review <mode>',
        'whether agents may ask you (default: wait in a terminal, else defer)',
      ).choices([...REVIEW_MODES]),
    )
    .option('--detach', 'print the query id and return at once')
    .action((request: string, o: RunOptions) => run((cli) => runRequest(cli, request, o)));
}
