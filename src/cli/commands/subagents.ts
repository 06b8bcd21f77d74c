// `troupe subagents`: agents at work on tasks, one row an attempt.
import { type Command, Option } from 'commander';
import { SUBAGENT_STATES, type Subagent } from '../../domain/subagent.ts';
import type { Cli, Run } from '../cli.ts';
import { segment } from '../client.ts';
import { EXIT } from '../exit.ts';
import { rowLimit } from '../number.ts';

async function list(
  cli: Cli,
  o: { state?: string; role?: string; query?: string; limit: number },
): Promise<number> {
  const client = await cli.connect();
  const params = { state: o.state, role: o.role, query_id: o.query };
  const rows = await client.list<Subagent>('/v1/subagents', params, o.limit);
  if (cli.json) cli.term.json(rows);
  else if (rows.length === 0) cli.term.line('no subagents');
  else
    cli.term.table(rows, [
      { title: 'AGENT', value: (a) => a.agent_id },
      { title: 'WHO', value: (a) => `${a.role} agent #${a.ordinal}` },
      { title: 'STATE', value: (a) => a.state },
      { title: 'DEPTH', value: (a) => a.depth },
      { title: 'PID', value: (a) => a.pid },
      { title: 'PORT', value: (a) => a.port },
      { title: 'TASK', value: (a) => a.task_id },
      { title: 'SUMMARY', value: (a) => a.task_summary, cut: true },
    ]);
  return EXIT.ok;
}

async function show(cli: Cli, id: string): Promise<number> {
  const client = await cli.connect();
  const agent = await client.get<Subagent>(`/v1/subagents/${segment(id)}`);
  if (cli.json) cli.term.json(agent);
  else
    cli.term.fields(
      Object.entries(agent).map(([name, value]): [string, string | number | null] => [
        name,
        typeof value === 'object' && value !== null
          ? JSON.stringify(value)
          : (value as string | number | null),
      ]),
    );
  return EXIT.ok;
}

export function addSubagents(program: Command, run: Run): void {
  const subagents = program.command('subagents').description('Subagents: agents at work on tasks.');
  subagents
    .command('list', { isDefault: true })
    .description('list subagents, newest first')
    .addOption(new Option('--state <state>', 'only these').choices([...SUBAGENT_STATES]))
    .option('--role <role>', 'only agents of this role')
    .option('--query <id>', 'only agents of this query')
    .option('--limit <n>', 'at most so many', rowLimit, 50)
    .action((o) => run((cli) => list(cli, o)));
  subagents
    .command('show <id>')
    .description('every field of one subagent')
    .action((id: string) => run((cli) => show(cli, id)));
}
