// `troupe gc`: what ended long ago leaves the state folder, through a server or, with --state-dir, without one.
import type { Command } from 'commander';
import { addRows, type GcReport } from '../../domain/retention.ts';
import type { Cli, Run } from '../cli.ts';
import { CliError, EXIT } from '../exit.ts';
import { age } from '../number.ts';
import { sizeText } from '../query-files.ts';

type GcOptions = { older: number; dryRun?: boolean; stateDir?: string };

/** The server answers within its own budget of 20 s; the units after that are short. */
const CALL_MS = 60_000;

async function oneCall(cli: Cli, o: GcOptions): Promise<GcReport> {
  const ask = { older_than_s: o.older, dry_run: o.dryRun ?? false };
  if (o.stateDir !== undefined) return await cli.deps.local.gc(o.stateDir, ask);
  const client = await cli.connect();
  try {
    return await client.post<GcReport>('/v1/gc', ask, { extraMs: CALL_MS });
  } catch (error) {
    if (!(error instanceof CliError) || error.exit !== EXIT.unreachable) throw error;
    const hint = 'start it, or give --state-dir <folder> of a server that is stopped';
    throw new CliError(error.exit, error.code, error.message, hint);
  }
}

async function collect(cli: Cli, o: GcOptions): Promise<GcReport> {
  const sum = await oneCall(cli, o);
  // A look changes nothing: asking again would count the same once more.
  while (sum.more && !sum.dry_run) {
    const next = await oneCall(cli, o);
    addRows(sum.rows, next.rows);
    sum.workdirs.removed += next.workdirs.removed;
    sum.workdirs.kept += next.workdirs.kept;
    sum.workdirs.bytes += next.workdirs.bytes;
    sum.logs.removed += next.logs.removed;
    sum.logs.bytes += next.logs.bytes;
    sum.more = next.more;
    sum.first_kept_seq = next.first_kept_seq;
  }
  return sum;
}

async function gc(cli: Cli, o: GcOptions): Promise<number> {
  const report = await collect(cli, o);
  if (cli.json) {
    cli.term.json(report);
    return EXIT.ok;
  }
  const { rows, workdirs, logs, before, dry_run, more } = report;
  const least = more ? 'at least ' : '';
  cli.term.line(
    dry_run
      ? `would remove ${least}what ended before ${before}`
      : `ended before ${before}, removed`,
  );
  cli.term.fields([
    ...Object.entries(rows).map(([kind, n]): [string, number] => [kind.replace('_', ' '), n]),
    ['workdirs', `${workdirs.removed}, ${sizeText(workdirs.bytes)}`],
    ['workdirs kept', workdirs.kept === 0 ? null : `${workdirs.kept}: named by those who asked`],
    ['logs', `${logs.removed}, ${sizeText(logs.bytes)}`],
  ]);
  return EXIT.ok;
}

export function addGc(program: Command, run: Run): void {
  program
    .command('gc')
    .description(
      'Removes queries that ended long ago, with their tasks, events, workdirs and old logs. Never what is at work.',
    )
    .requiredOption('--older <age>', 'ended and not touched for so long: 30d, 12h, 90m, 45s', age)
    .option('--dry-run', 'only say what would be removed')
    .option('--state-dir <folder>', 'work on the state folder of a stopped server')
    .action((o: GcOptions) => run((cli) => gc(cli, o)));
}
