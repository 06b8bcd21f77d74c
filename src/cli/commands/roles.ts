// `troupe roles`: who can be given tasks. Asks the server; without one, reads what this machine would serve.
import type { Command } from 'commander';
import type { Cli, RoleView, Run, Shown } from '../cli.ts';
import { segment } from '../client.ts';
import { EXIT } from '../exit.ts';
import { isLost } from '../problem.ts';
import { valueText } from '../table.ts';
import { addRolePrompt } from './role-prompt.ts';

type Options = { local?: boolean; config?: string };
const flagsOf = (o: Options) => (o.config === undefined ? {} : { config: o.config });

/** The server's view, or the local one when asked for or when nobody answers at the default address. */
async function either<T>(cli: Cli, o: Options, remote: () => Promise<T>, local: () => Promise<T>) {
  if (o.local === true || o.config !== undefined) return await local();
  try {
    return await remote();
  } catch (error) {
    if (cli.explicitUrl || !isLost(error)) throw error;
    if (!cli.json)
      cli.term.note({ tone: 'dim', text: 'no server: this is what one would serve here' });
    return await local();
  }
}

async function list(cli: Cli, o: Options): Promise<number> {
  const rows = await either<RoleView[]>(
    cli,
    o,
    async () => (await (await cli.connect()).get<{ data: RoleView[] }>('/v1/roles')).data,
    () => cli.deps.local.roles(flagsOf(o)),
  );
  if (cli.json) cli.term.json(rows);
  else
    cli.term.table(rows, [
      { title: 'ROLE', value: (r) => r.name },
      { title: 'MODEL', value: (r) => r.model },
      { title: 'DESCRIPTION', value: (r) => r.description, cut: true },
    ]);
  return EXIT.ok;
}

/** A role as the API gives it: its fields, and where each comes from. */
type RemoteRole = Record<string, unknown> & { sources?: Record<string, string> };
const fieldsOf = ({ sources = {}, name: _, ...role }: RemoteRole): Shown[] =>
  Object.entries(role).map(([key, value]) => ({ key, value, source: sources[key] ?? '–' }));

function print(cli: Cli, fields: Shown[]): void {
  const texts = fields.map((f) => ({ ...f, text: valueText(f.value) }));
  const isBlock = ({ text }: { text: string }) => text.includes('\n');
  cli.term.table(texts, [
    { title: 'FIELD', value: (f) => f.key },
    { title: 'SOURCE', value: (f) => f.source },
    { title: 'VALUE', value: (f) => (isBlock(f) ? '(below)' : f.text) },
  ]);
  for (const { key, text } of texts.filter(isBlock)) {
    cli.term.line();
    cli.term.line({ tone: 'bold', text: key });
    cli.term.text(text);
  }
}

async function show(cli: Cli, name: string, o: Options): Promise<number> {
  const fields = await either<Shown[]>(
    cli,
    o,
    async () => {
      const client = await cli.connect();
      return fieldsOf(await client.get<RemoteRole>(`/v1/roles/${segment(name)}`));
    },
    () => cli.deps.local.role(name, flagsOf(o)),
  );
  if (cli.json) cli.term.json(fields);
  else print(cli, fields);
  return EXIT.ok;
}

export function addRoles(program: Command, run: Run): void {
  const roles = program.command('roles').description('Roles: who can be given tasks.');
  const local = (command: Command) =>
    command
      .option('--local', 'what a server here would serve, even when one runs')
      .option('--config <file>', 'with this configuration file (implies --local)');
  local(roles.command('list', { isDefault: true }))
    .description('the roles with model and description')
    .action((o: Options) => run((cli) => list(cli, o)));
  local(roles.command('show <name>'))
    .description('every field of a role and where it comes from')
    .action((name: string, o: Options) => run((cli) => show(cli, name, o)));
  addRolePrompt(roles, run);
}
