// `troupe queries`: what was asked, how it stands, its tree and its files.
import { type Command, Option } from 'commander';
import { QUERY_STATUSES, type Query } from '../../domain/query.ts';
import type { Cli, Run } from '../cli.ts';
import { segment } from '../client.ts';
import { EXIT } from '../exit.ts';
import { rowLimit } from '../number.ts';
import { filePath, fileTable, listFiles } from '../query-files.ts';
import { saveArchive } from '../save.ts';
import { type TreeNode, treeLines } from '../tree.ts';
import { usageLine } from '../usage.ts';

const path = (id: string, rest = ''): string => `/v1/queries/${segment(id)}${rest}`;

async function list(cli: Cli, o: { status?: string; limit: number }): Promise<number> {
  const client = await cli.connect();
  const rows = await client.list<Query>('/v1/queries', { status: o.status }, o.limit);
  if (cli.json) cli.term.json(rows);
  else if (rows.length === 0) cli.term.line('no queries yet: troupe run "…" makes one');
  else
    cli.term.table(rows, [
      { title: 'QUERY', value: (q) => q.query_id },
      { title: 'STATUS', value: (q) => q.status },
      { title: 'CREATED', value: (q) => q.created_at },
      { title: 'REQUEST', value: (q) => q.input, cut: true },
    ]);
  return EXIT.ok;
}

async function show(cli: Cli, id: string): Promise<number> {
  const client = await cli.connect();
  const query = await client.get<Query & { waiting_for?: string[] }>(path(id));
  if (cli.json) {
    cli.term.json(query);
    return EXIT.ok;
  }
  cli.term.fields([
    ['query', query.query_id],
    ['status', query.status],
    ['waits for', query.waiting_for?.join(', ')],
    ['request', query.input],
    ['branched', query.branched ? '⚡ yes' : 'no'],
    ['workdir', query.workdir],
    ['used', usageLine(query)],
    ['error', query.error?.message],
    ['created', query.created_at],
    ['updated', query.updated_at],
  ]);
  if (query.answer) {
    cli.term.line();
    cli.term.text(query.answer);
  }
  return EXIT.ok;
}

async function act(
  cli: Cli,
  id: string,
  verb: 'cancel' | 'messages',
  body: object,
): Promise<number> {
  const client = await cli.connect();
  const query = await client.post<Partial<Query> | null>(path(id, `/${verb}`), body);
  if (cli.json) cli.term.json(query);
  else cli.term.line(`${id}  ${query?.status ?? (verb === 'cancel' ? 'cancelling' : 'accepted')}`);
  return EXIT.ok;
}

async function tree(cli: Cli, id: string): Promise<number> {
  const client = await cli.connect();
  const root = await client.get<TreeNode>(path(id, '/tree'));
  if (cli.json) cli.term.json(root);
  else for (const line of treeLines(root, cli.term.columns())) cli.term.line(line);
  return EXIT.ok;
}

async function files(cli: Cli, id: string, file: string | undefined): Promise<number> {
  const client = await cli.connect();
  if (file !== undefined) {
    const { body } = await client.open(filePath(id, file), { headers: { accept: '*/*' } });
    await cli.term.bytes(body);
    return EXIT.ok;
  }
  const rows = await listFiles(client, id);
  if (cli.json) cli.term.json(rows);
  else if (rows.length === 0) cli.term.line('no files');
  else fileTable(cli.term, rows);
  return EXIT.ok;
}

async function download(
  cli: Cli,
  id: string,
  o: { output?: string; force?: boolean },
): Promise<number> {
  const client = await cli.connect();
  const archive = await client.open(path(id, '/workspace.zip'), { headers: { accept: '*/*' } });
  const saved = await saveArchive(archive, {
    cwd: cli.deps.cwd,
    file: o.output ?? `${id}.zip`,
    force: o.force === true,
  });
  if (cli.json) cli.term.json(saved);
  else cli.term.line(`${saved.file}  ${saved.bytes} bytes`);
  return EXIT.ok;
}

export function addQueries(program: Command, run: Run): void {
  const queries = program.command('queries').description('Queries: requests to the main agent.');
  queries
    .command('list', { isDefault: true })
    .description('list queries, newest first')
    .addOption(new Option('--status <status>', 'only these').choices([...QUERY_STATUSES]))
    .option('--limit <n>', 'at most so many', rowLimit, 50)
    .action((o) => run((cli) => list(cli, o)));
  queries
    .command('show <id>')
    .description('one query with its answer')
    .action((id: string) => run((cli) => show(cli, id)));
  queries
    .command('cancel <id>')
    .description('cancel a query and everything under it')
    .action((id: string) =>
      run((cli) => act(cli, id, 'cancel', { reason: 'cancelled at the command line' })),
    );
  queries
    .command('message <id> <text>')
    .description('a follow-up: to the main agent at work, or a new turn when the query has ended')
    .action((id: string, text: string) => run((cli) => act(cli, id, 'messages', { text })));
  queries
    .command('tree <id>')
    .description('its tasks and agents as a tree')
    .action((id: string) => run((cli) => tree(cli, id)));
  queries
    .command('files <id> [path]')
    .description('the files it made, or the content of one')
    .action((id: string, file: string | undefined) => run((cli) => files(cli, id, file)));
  queries
    .command('download <id>')
    .description('the whole workdir as a zip archive')
    .option('-o, --output <file>', 'where to save it (default: <id>.zip)')
    .option('--force', 'overwrite a file that exists')
    .action((id: string, o) => run((cli) => download(cli, id, o)));
}
