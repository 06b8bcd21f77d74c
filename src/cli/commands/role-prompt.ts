// `troupe roles prompt`: shows, changes and resets the prompt of a role, or of `main`.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { PROMPT_LIMIT, type RolePrompt } from '../../domain/prompt-override.ts';
import type { Cli, Run } from '../cli.ts';
import { segment } from '../client.ts';
import { CliError, EXIT } from '../exit.ts';

type Options = { set?: string; reset?: boolean };

const tooLong = (what: string): CliError =>
  new CliError(
    EXIT.usage,
    'prompt_too_long',
    `${what} has more than ${PROMPT_LIMIT} bytes`,
    'shorten it',
  );

/** The text of a file, or of standard input for "-"; no more of it than a prompt may have. */
async function textFrom(cli: Cli, name: string): Promise<string> {
  if (name !== '-') {
    try {
      return readFileSync(name, 'utf8');
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new CliError(EXIT.usage, 'prompt_file', `cannot read ${name}: ${why}`);
    }
  }
  let text = '';
  for await (const piece of cli.deps.streams.stdin) {
    text += String(piece);
    if (text.length > PROMPT_LIMIT) throw tooLong('standard input');
  }
  return text;
}

function print(cli: Cli, prompt: RolePrompt): void {
  const { override, mode } = prompt;
  const states = { append: 'with an addition', replace: 'replaced' };
  cli.term.fields([
    ['role', prompt.role],
    ['prompt', override === null ? 'default' : states[mode]],
    ['changed', prompt.updated_at],
  ]);
  const block = (title: string, text: string): void => {
    cli.term.line();
    cli.term.line({ tone: 'bold', text: title });
    cli.term.text(text);
  };
  block('default', prompt.default);
  if (override !== null) block(mode === 'append' ? 'added at its end' : 'used instead', override);
  for (const warning of prompt.warnings) cli.term.note({ tone: 'warn', text: warning });
}

async function prompt(cli: Cli, name: string, { set, reset }: Options): Promise<number> {
  if (set !== undefined && reset)
    throw new CliError(EXIT.usage, 'set_and_reset', '--set and --reset together', 'give one');
  const path = `/v1/roles/${segment(name)}/prompt`;
  const client = await cli.connect();
  const now =
    set !== undefined
      ? await client.put<RolePrompt>(path, { prompt: await textFrom(cli, set) })
      : reset
        ? await client.delete<RolePrompt>(path)
        : await client.get<RolePrompt>(path);
  if (cli.json) cli.term.json(now);
  else if (set === undefined && !reset) print(cli, now);
  else {
    const state = reset ? 'is the default again' : 'is changed';
    cli.term.line(`the prompt of ${now.role} ${state}; runs that begin from now on have it`);
    for (const warning of now.warnings) cli.term.note({ tone: 'warn', text: warning });
  }
  return EXIT.ok;
}

export function addRolePrompt(roles: Command, run: Run): void {
  roles
    .command('prompt <name>')
    .description('the prompt of a role, or of main: what is the default and what was changed')
    .option('--set <file>', 'a role has this text instead, main has it added; "-" = standard input')
    .option('--reset', 'back to the default')
    .action((name: string, o: Options) => run((cli) => prompt(cli, name, o)));
}
