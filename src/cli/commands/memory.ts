// `troupe memory`: what is remembered beyond one request: list, search, add, correct, history.
import { type Command, Option } from 'commander';
import { MEMORY_STATUSES, type MemoryRecord } from '../../domain/memory.ts';
import type { Cli, Run } from '../cli.ts';
import { segment } from '../client.ts';
import { EXIT } from '../exit.ts';
import { rowLimit, wholeNumber } from '../number.ts';

type Filter = { layer?: string; project?: string; limit: number };

function print(cli: Cli, rows: MemoryRecord[], none: string): number {
  if (cli.json) cli.term.json(rows);
  else if (rows.length === 0) cli.term.line(none);
  else
    cli.term.table(rows, [
      { title: 'RECORD', value: (r) => r.record_id },
      { title: 'LAYER', value: (r) => r.layer },
      { title: 'SCOPE', value: (r) => r.scope_key },
      { title: 'STATUS', value: (r) => r.status },
      { title: 'CREATED', value: (r) => r.created_at },
      { title: 'CONTENT', value: (r) => r.content, cut: true },
    ]);
  return EXIT.ok;
}

async function list(cli: Cli, { limit, ...filter }: Filter & { status?: string }): Promise<number> {
  const client = await cli.connect();
  const rows = await client.list<MemoryRecord>('/v1/memory', filter, limit);
  return print(cli, rows, 'nothing is remembered yet');
}

async function search(cli: Cli, query: string, filter: Filter): Promise<number> {
  const client = await cli.connect();
  const page = await client.get<{ data: MemoryRecord[] }>('/v1/memory', { ...filter, q: query });
  return print(cli, page.data, 'nothing is remembered about that');
}

function written(cli: Cli, record: MemoryRecord): number {
  if (cli.json) cli.term.json(record);
  else cli.term.line(`${record.record_id}  ${record.layer}  ${record.scope_key}`);
  return EXIT.ok;
}

async function add(
  cli: Cli,
  content: string,
  { layer, project, tag }: { layer: string; project?: string; tag?: string[] },
): Promise<number> {
  const client = await cli.connect();
  const body = {
    content,
    layer,
    ...(project === undefined ? {} : { project }),
    ...(tag === undefined ? {} : { tags: tag }),
  };
  return written(cli, await client.post<MemoryRecord>('/v1/memory', body));
}

async function correct(
  cli: Cli,
  id: string,
  replacement: string,
  { reason }: { reason?: string },
): Promise<number> {
  const client = await cli.connect();
  const body = { replacement, ...(reason === undefined ? {} : { reason }) };
  const path = `/v1/memory/${segment(id)}/correct`;
  return written(cli, await client.post<MemoryRecord>(path, body));
}

async function history(cli: Cli, id: string): Promise<number> {
  const client = await cli.connect();
  type Row = MemoryRecord & { reason?: string | null };
  const { data } = await client.get<{ data: Row[] }>(`/v1/memory/${segment(id)}/history`);
  if (cli.json) cli.term.json(data);
  else
    cli.term.table(data, [
      { title: 'RECORD', value: (r) => r.record_id },
      { title: 'STATUS', value: (r) => r.status },
      { title: 'CREATED', value: (r) => r.created_at },
      { title: 'SOURCE', value: (r) => r.source },
      { title: 'REASON', value: (r) => r.reason },
      { title: 'CONTENT', value: (r) => r.content, cut: true },
    ]);
  return EXIT.ok;
}

export function addMemory(program: Command, run: Run): void {
  const memory = program.command('memory').description('Long-term memory, in three layers.');
  memory
    .command('list', { isDefault: true })
    .description('list records, newest first')
    .option('--layer <layer>', 'only this layer: user/profile, project/context, domain/knowledge')
    .addOption(new Option('--status <status>', 'only these').choices([...MEMORY_STATUSES]))
    .option('--project <name>', 'only records of this project')
    .option('--limit <n>', 'at most so many', rowLimit, 50)
    .action((o) => run((cli) => list(cli, o)));
  memory
    .command('search <query>')
    .description('what is relevant to a text, best first')
    .option('--layer <layer>', 'only this layer')
    .option('--project <name>', 'records of this project, and those that hold everywhere')
    .option('--limit <n>', 'at most so many', wholeNumber(1, 50), 10)
    .action((query: string, o) => run((cli) => search(cli, query, o)));
  memory
    .command('add <content>')
    .description('remember something')
    .requiredOption('--layer <layer>', 'user/profile, project/context or domain/knowledge')
    .option('--project <name>', 'for project/context: where it holds')
    .option('--tag <tag...>', 'words to find it by')
    .action((content: string, o) => run((cli) => add(cli, content, o)));
  memory
    .command('correct <id> <replacement>')
    .description('replace a record; the old one stays in its history')
    .option('--reason <text>', 'why')
    .action((id: string, replacement: string, o) => run((cli) => correct(cli, id, replacement, o)));
  memory
    .command('history <id>')
    .description('a record with what it corrects and what corrects it')
    .action((id: string) => run((cli) => history(cli, id)));
}
