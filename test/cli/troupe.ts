// Starts the CLI as a real process, the way a person does, and collects what it says.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CLI = join(ROOT, 'src', 'bin', 'cli.ts');
// Resolved here: the tests start the CLI in folders that have no node_modules.
const TSX = import.meta.resolve('tsx');

export type Ran = { code: number | null; out: string; err: string };
export type Live = {
  child: ChildProcess;
  out(): string;
  err(): string;
  /** Resolves when stdout or stderr holds the text. */
  says(text: string): Promise<void>;
  ended: Promise<Ran>;
};

type Options = { env?: Record<string, string>; cwd?: string };

export function start(args: string[], { env = {}, cwd = ROOT }: Options = {}): Live {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--import', TSX, CLI, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    out: () => out,
    err: () => err,
    says: async (text) => {
      await until(() => `${out}${err}`.includes(text), 15_000, `"${text}" in: ${out}${err}`);
    },
    ended,
  };
}

export const troupe = (args: string[], options: Options = {}): Promise<Ran> =>
  start(args, options).ended;
