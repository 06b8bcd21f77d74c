// `troupe gate`: what the branching gate makes of a request. Needs no server.
import type { Command } from 'commander';
import { GATE_REASONS, type GateVerdict, readGate } from '../../branching/index.ts';
import type { Cli, Run } from '../cli.ts';
import { EXIT } from '../exit.ts';

function show(cli: Cli, verdict: GateVerdict): void {
  const { open, mode, reason, parts, steps, context } = verdict;
  cli.term.line(
    open ? { tone: 'spark', text: '⚡ open' } : { tone: 'dim', text: 'closed' },
    `  ${mode}: ${GATE_REASONS[reason]} (${reason})`,
  );
  for (const [i, part] of [...parts, ...steps].entries()) cli.term.line(`  ${i + 1}. ${part}`);
  for (const beside of context) cli.term.line({ tone: 'dim', text: '  beside: ' }, beside);
}

/** Lines end at \n alone: a JSON string may hold every other separator. */
async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of input) {
    rest += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** One JSON string a line in, one verdict a line out. */
async function lines(cli: Cli): Promise<number> {
  let bad = 0;
  let number = 0;
  for await (const line of linesOf(cli.deps.streams.stdin)) {
    number += 1;
    if (line.trim() === '') continue;
    const text = stringOf(line);
    if (text !== null) cli.term.json(readGate(text));
    else {
      bad += 1;
      cli.term.json({ error: `line ${number} is no JSON string; write one in double quotes` });
    }
  }
  return bad > 0 ? EXIT.failed : EXIT.ok;
}

function stringOf(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

async function gate(cli: Cli, words: readonly string[]): Promise<number> {
  if (words.length === 1 && words[0] === '-') return await lines(cli);
  const verdict = readGate(words.join(' '));
  if (cli.json) cli.term.json(verdict);
  else show(cli, verdict);
  return EXIT.ok;
}

export function addGate(program: Command, run: Run): void {
  program
    .command('gate <text...>')
    // A list begins with a dash.
    .allowUnknownOption()
    .description(
      'Shows whether a request has parts that do not need each other, and which. "-" reads one JSON string a line\n' +
        'from stdin and prints one verdict a line; a line that is no JSON string makes the exit code 1.',
    )
    .action((words: string[]) => run((cli) => gate(cli, words)));
}
