// `troupe backup`: a copy of the database while a server serves. `troupe restore`: puts one in place, while none does.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { BackupReport } from '../../domain/retention.ts';
import type { Cli, Run } from '../cli.ts';
import type { Client } from '../client.ts';
import { CliError, EXIT } from '../exit.ts';
import { sizeText } from '../query-files.ts';

/** A server answers after a minute at the latest: then the copy goes on and is asked for. */
const CALL_MS = 60_000;
const LOOK_MS = 1_000;

async function finished(client: Client, begun: BackupReport): Promise<BackupReport> {
  let now: BackupReport | null = begun;
  while (now?.state === 'running' && now.path === begun.path) {
    await new Promise((next) => setTimeout(next, LOOK_MS));
    now = await client.get<BackupReport | null>('/v1/backup');
  }
  if (now?.path === begun.path) return now;
  throw new CliError(
    EXIT.failed,
    'backup_lost',
    'the server was started anew before the copy was done',
  );
}

async function backup(cli: Cli, file: string): Promise<number> {
  const client = await cli.connect();
  const path = resolve(cli.deps.cwd, file);
  const begun = await client.post<BackupReport>('/v1/backup', { path }, { extraMs: CALL_MS });
  const made = await finished(client, begun);
  if (cli.json) cli.term.json(made);
  if (made.state === 'failed')
    throw new CliError(EXIT.failed, 'backup_failed', `no backup was made: ${made.error}`);
  if (!cli.json) cli.term.line(`${made.path}  ${sizeText(made.bytes ?? 0)}  checked`);
  return EXIT.ok;
}

async function restore(cli: Cli, file: string, o: { stateDir: string }): Promise<number> {
  const done = await cli.deps.local.restore(file, o.stateDir);
  if (cli.json) cli.term.json(done);
  else {
    cli.term.line(`${done.file}  restored from ${done.from}`);
    if (done.kept !== null) cli.term.line(`what was there: ${done.kept}`);
    cli.term.line(
      'workdirs are not part of a backup; tasks that were open go on at the next start',
    );
  }
  return EXIT.ok;
}

export function addBackup(program: Command, run: Run): void {
  program
    .command('backup <file>')
    .description(
      "Copies the server's database while it serves, and checks the copy. The file is made on the server's machine.",
    )
    .action((file: string) => run((cli) => backup(cli, file)));
  program
    .command('restore <file>')
    .description(
      'Puts a backup in the place of the database of a stopped server; the old one is kept.',
    )
    .requiredOption('--state-dir <folder>', 'the state folder of the stopped server')
    .action((file: string, o: { stateDir: string }) => run((cli) => restore(cli, file, o)));
}
