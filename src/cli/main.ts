// The program `troupe`: its commands, its two global options, and the one place where errors become exit codes.
import { Command, CommanderError } from 'commander';
import { AppError } from '../domain/errors.ts';
import { cleanJson } from './clean.ts';
import { apiKey, type Cli, type CliDeps, type Globals, type Run, serverUrl } from './cli.ts';
import type { Client } from './client.ts';
import { addBackup } from './commands/backup.ts';
import { addBrain } from './commands/brain.ts';
import { addBranches } from './commands/branches.ts';
import { addConfig } from './commands/config.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events.ts';
import { addGate } from './commands/gate.ts';
import { addGc } from './commands/gc.ts';
import { addMemory } from './commands/memory.ts';
import { addQueries } from './commands/queries.ts';
import { addReviews } from './commands/reviews.ts';
import { addRoles } from './commands/roles.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addServers } from './commands/servers.ts';
import { addSubagents } from './commands/subagents.ts';
import { addTasks } from './commands/tasks.ts';
import { CliError, EXIT } from './exit.ts';
import { createTerminal, type Terminal } from './terminal.ts';

const EXAMPLES = `
Examples:
  troupe serve                                      start a server on this machine
  troupe run "Build a small todo API with tests"    ask, watch live, get the answer
  troupe tasks list --status running                what is being worked on
  troupe events --follow                            everything that happens
  troupe gate "Fix the login and update the docs"   would this request branch
  troupe doctor                                     what is missing on this machine

Exit codes: 0 ok · 1 failed · 2 wrong usage · 3 no server · 4 refused · 5 not found
            6 timed out · 7 degraded · 130 cancelled by Ctrl-C
The server's key, if it has one: TROUPE_API_KEY or TROUPE_API_KEY_FILE.`;

export type Program = { program: Command; exitCode(): number };

type Told = { code: string; message: string; hint: string | null; exit_code: number };

function toldOf(error: unknown): Told {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CliError)
    return { code: error.code, message, hint: error.hint, exit_code: error.exit };
  if (!(error instanceof AppError))
    return { code: 'internal', message, hint: null, exit_code: EXIT.failed };
  const unknown = error.code === 'unknown_role' || error.code === 'not_found';
  const exit_code = unknown ? EXIT.not_found : EXIT.failed;
  return { code: error.code, message, hint: null, exit_code };
}

function report(
  term: Terminal,
  json: boolean,
  stderr: NodeJS.WritableStream,
  error: unknown,
): number {
  const told = toldOf(error);
  if (json) stderr.write(`${cleanJson({ error: told })}\n`);
  else {
    const [head = '', ...rest] = told.message.split('\n');
    term.note({ tone: 'bad', text: 'error: ' }, head);
    for (const line of rest) term.note(line);
    if (told.hint !== null) term.note({ tone: 'dim', text: `  → ${told.hint}` });
  }
  return told.exit_code;
}

export function createProgram(deps: CliDeps): Program {
  const program = new Command('troupe');
  const term = createTerminal(deps.streams, { noColour: Boolean(deps.env.NO_COLOR) });
  let exitCode: number = EXIT.ok;

  const run: Run = async (work) => {
    const { json = false, url } = program.opts<Globals>();
    let client: Client | null = null;
    const cli: Cli = {
      term,
      json,
      deps,
      explicitUrl: url !== undefined || Boolean(deps.env.TROUPE_URL),
      async connect() {
        // Loaded on the first use: commands that need no server start faster without it.
        const { createClient } = await import('./client.ts');
        client ??= createClient({ url: serverUrl(url, deps.env), apiKey: apiKey(deps.env) });
        return client;
      },
    };
    try {
      exitCode = await work(cli);
    } catch (error) {
      exitCode = report(term, json, deps.streams.stderr, error);
    } finally {
      await (client as Client | null)?.close();
    }
  };

  program
    .description('Runs and watches a troupe of specialist agents.')
    .version(deps.version, '-V, --version', 'print the version')
    .option('--json', 'machine-readable output: JSON, one value a line where it streams')
    .option(
      '--url <url>',
      'address of the server (default: TROUPE_URL, else http://127.0.0.1:8787)',
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void deps.streams.stdout.write(text),
      writeErr: (text) => void deps.streams.stderr.write(text),
    })
    .showHelpAfterError('(--help shows what is possible)')
    .addHelpText('after', EXAMPLES)
    .exitOverride();
  for (const add of [addServe, addRun, addQueries, addTasks, addSubagents, addServers, addRoles])
    add(program, run);
  for (const add of [
    addReviews,
    addMemory,
    addBrain,
    addEvents,
    addGate,
    addBranches,
    addConfig,
    addDoctor,
    addGc,
    addBackup,
  ])
    add(program, run);
  return { program, exitCode: () => exitCode };
}

/** `args`: without node and the file. Never throws for what a person did wrong. */
export async function runCli(args: readonly string[], deps: CliDeps): Promise<number> {
  const { program, exitCode } = createProgram(deps);
  if (args.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}
