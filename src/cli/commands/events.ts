// `troupe events`: everything that has happened, in order, and what happens now.
import { type Command, Option } from 'commander';
import { EVENT_KINDS, type TroupeEvent } from '../../domain/event.ts';
import { cleanLine, cut, pad } from '../clean.ts';
import type { Cli, Run } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { clockTime } from '../narrate.ts';
import { rowLimit, wholeNumber } from '../number.ts';
import { follow } from '../stream.ts';

type EventOptions = {
  follow?: boolean;
  after?: number | 'latest';
  query?: string;
  task?: string;
  kind?: string[];
  limit: number;
};

function print(cli: Cli, event: TroupeEvent): void {
  if (cli.json) {
    cli.term.json(event);
    return;
  }
  const { seq, kind, state, role, task_id, query_id, detail } = event;
  const head = `${pad(String(seq), 7)} ${clockTime(event.at)} ${kind === 'branch' ? '⚡' : ''}`;
  const ids = [
    task_id === null ? null : `task ${task_id}`,
    query_id === null ? null : `query ${query_id}`,
  ];
  const shown = [role, ...ids].filter((part) => part !== null).join('  ');
  const text = cleanLine(detail);
  cli.term.line(
    { tone: 'dim', text: `${head} ` },
    `${pad(kind, 9)} ${pad(cleanLine(state), 11)} ${shown}`,
    text === '' ? '' : `  ${cli.term.columns() === null ? text : cut(text, 100)}`,
  );
}

async function followAll(
  cli: Cli,
  params: Record<string, string | undefined>,
  after: number | 'latest',
) {
  const client = await cli.connect();
  const stop = new AbortController();
  const off = cli.deps.onInterrupt(() => stop.abort());
  const onLink = (state: 'lost' | 'back', reason: string) =>
    cli.term.note({
      tone: 'warn',
      text: state === 'back' ? 'connected again' : `connection lost, trying again: ${reason}`,
    });
  try {
    const events = follow(client, {
      path: '/v1/events',
      params,
      after,
      signal: stop.signal,
      onLink,
      onGap: (text) => cli.term.note({ tone: 'warn', text }),
    });
    for await (const event of events) print(cli, event);
    return EXIT.interrupted;
  } finally {
    off();
  }
}

async function events(cli: Cli, o: EventOptions): Promise<number> {
  const params = { query_id: o.query, task_id: o.task, kinds: o.kind?.join(',') };
  if (o.follow === true) return await followAll(cli, params, o.after ?? 'latest');
  const client = await cli.connect();
  let place: Record<string, string | number> = { after: o.after ?? 0 };
  let left = o.limit;
  while (left > 0) {
    const limit = Math.min(left, 1000);
    const page = await client.get<{ data: TroupeEvent[]; next_cursor: string | null }>(
      '/v1/events',
      { ...params, ...place, limit },
    );
    for (const event of page.data) print(cli, event);
    left -= page.data.length;
    if (page.next_cursor === null) break;
    place = { cursor: page.next_cursor };
  }
  return EXIT.ok;
}

const seq = wholeNumber(0, Number.MAX_SAFE_INTEGER);
const position = (text: string): number | 'latest' => (text === 'latest' ? text : seq(text));

export function addEvents(program: Command, run: Run): void {
  program
    .command('events')
    .summary('what has happened, and what happens')
    .description(
      'Prints events in order. With --follow goes on until Ctrl-C, across restarts of the server.',
    )
    .option('-f, --follow', 'go on with what happens from now on')
    .option(
      '--after <n>',
      'only events with a higher number; default 0, with --follow: latest',
      position,
    )
    .option('--query <id>', 'only events of this query')
    .option('--task <id>', 'only events of this task')
    .addOption(new Option('--kind <kind...>', 'only these kinds').choices([...EVENT_KINDS]))
    .option('--limit <n>', 'at most so many (without --follow)', rowLimit, 1000)
    .action((o: EventOptions) => run((cli) => events(cli, o)));
}
