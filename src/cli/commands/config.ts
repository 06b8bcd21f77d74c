// `troupe config`: is the configuration good, and what is in force. Reads files and environment, changes nothing.
import type { Command } from 'commander';
import { sentence } from '../../config/problem.ts';
import type { Cli, ConfigFlags, Run } from '../cli.ts';
import { withConfigFlags } from '../config-flags.ts';
import { EXIT } from '../exit.ts';
import { valueText } from '../table.ts';

async function check(cli: Cli, flags: ConfigFlags): Promise<number> {
  const { file, problems, warnings, text } = await cli.deps.local.checkConfig(flags);
  const ok = problems.length === 0;
  if (cli.json) cli.term.json({ ok, file, problems, warnings });
  else {
    if (!ok) cli.term.text(`${text}\na server would refuse to start`);
    for (const warning of warnings)
      cli.term.note({ tone: 'warn', text: 'warning: ' }, sentence(warning));
    if (ok)
      cli.term.line(
        { tone: 'good', text: 'ok' },
        `  ${file ?? 'no file: defaults and environment'}`,
      );
  }
  return ok ? EXIT.ok : EXIT.failed;
}

async function show(cli: Cli, flags: ConfigFlags): Promise<number> {
  const rows = await cli.deps.local.showConfig(flags);
  if (cli.json) cli.term.json(rows);
  else
    cli.term.table(rows, [
      { title: 'KEY', value: (r) => r.key },
      { title: 'SOURCE', value: (r) => r.source },
      { title: 'VALUE', value: (r) => valueText(r.value) },
    ]);
  return EXIT.ok;
}

export function addConfig(program: Command, run: Run): void {
  const config = program.command('config').description('The configuration of a server here.');
  withConfigFlags(config.command('check'))
    .description('every problem at once; exit code 1 if there is one')
    .action((flags: ConfigFlags) => run((cli) => check(cli, flags)));
  withConfigFlags(config.command('show'))
    .description('every value with its source; secrets are masked')
    .action((flags: ConfigFlags) => run((cli) => show(cli, flags)));
}
