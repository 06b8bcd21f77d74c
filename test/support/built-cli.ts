// The built command line as a process: what it said, and with which code it ended.
import { execFile } from 'node:child_process';

export type CliRan = { code: number | null; out: string; err: string };

/** A command that has not ended by then never will. */
const LONGEST_MS = 60_000;

export function builtCli(args: string[], env: NodeJS.ProcessEnv = {}): Promise<CliRan> {
  const { PATH, HOME } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['dist/bin/cli.js', ...args],
      { env: { PATH, HOME, ...env }, timeout: LONGEST_MS },
      (_error, out, err) => resolve({ code: child.exitCode, out, err }),
    );
  });
}
