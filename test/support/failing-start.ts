// The built product where it must refuse to start: what it said, and with which code it ended.
import { execFile } from 'node:child_process';
import { productEnv } from './server.ts';

export type Refusal = { code: number | null; stdout: string; stderr: string };
export type RefusalAsk = {
  state_dir: string;
  env?: NodeJS.ProcessEnv;
  /** Instead of `node dist/bin/server.js`. */
  command?: string[];
};

/** A start that has not given up by then has not refused. */
const REFUSED_MS = 10_000;

export function refusedStart({ state_dir, env = {}, command }: RefusalAsk): Promise<Refusal> {
  const [program, ...args] = command ?? [process.execPath, 'dist/bin/server.js'];
  return new Promise((resolve) => {
    const child = execFile(
      program as string,
      args,
      { env: productEnv(state_dir, env), timeout: REFUSED_MS, killSignal: 'SIGKILL' },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}
