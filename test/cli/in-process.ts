// Runs the CLI inside the test, with streams of its own: for everything that needs no process.
import { PassThrough } from 'node:stream';
import type { CliDeps, Local } from '../../src/cli/cli.ts';
import { runCli } from '../../src/cli/main.ts';
import { until } from '../support/until.ts';

const absent = async (): Promise<never> => {
  throw new Error('this test injects no local commands');
};
const NO_LOCAL: Local = {
  serve: absent,
  checkConfig: absent,
  showConfig: absent,
  roles: absent,
  role: absent,
  doctor: absent,
  gc: absent,
  restore: absent,
};

export type Options = {
  env?: Record<string, string>;
  local?: Partial<Local>;
  /** stdout is a terminal of this width. */
  columns?: number;
  cwd?: string;
  /** What comes in; stdin ends after it. */
  stdin?: string;
  /** stdin and stderr are a terminal, and somebody sits at it. */
  person?: (at: Person) => Promise<void>;
};
export type Person = {
  types(text: string): void;
  /** Waits for a text on stderr. */
  reads(text: string): Promise<unknown>;
};

export async function cli(
  args: string[],
  { env = {}, local = {}, columns, cwd = process.cwd(), person, stdin: sent }: Options = {},
): Promise<{ code: number; out: string; err: string }> {
  const output = () => Object.assign(new PassThrough(), columns ? { isTTY: true, columns } : {});
  const stdout = output();
  const tty = { isTTY: person !== undefined };
  const stderr = Object.assign(new PassThrough(), tty);
  const stdin = Object.assign(new PassThrough(), tty);
  if (sent !== undefined) stdin.end(sent);
  const text = { out: '', err: '' };
  stdout.setEncoding('utf8').on('data', (piece: string) => {
    text.out += piece;
  });
  stderr.setEncoding('utf8').on('data', (piece: string) => {
    text.err += piece;
  });
  const deps: CliDeps = {
    env,
    cwd,
    version: '1.2.3',
    streams: { stdin, stdout, stderr },
    onInterrupt: () => () => {},
    local: { ...NO_LOCAL, ...local },
  };
  const acts = person?.({
    types: (typed) => void stdin.write(typed),
    reads: (wanted) => until(() => text.err.includes(wanted), 10_000, `"${wanted}" on stderr`),
  });
  const code = await runCli(args, deps);
  await acts;
  await new Promise((resolve) => setImmediate(resolve));
  return { code, ...text };
}
