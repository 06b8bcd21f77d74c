#!/usr/bin/env node
// The program `troupe`: gives the commands this process, and composes the local ones on first use.
// Decides nothing. Everything heavy is imported when a command needs it.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CliDeps, ConfigFlags, Local } from '../cli/cli.ts';
import { runCli } from '../cli/main.ts';

const packageRoot = fileURLToPath(new URL('../..', import.meta.url));
const place = { env: process.env, cwd: process.cwd(), home: homedir(), packageRoot };
/** commander gives exactly the flags that were given; their names are those of the settings. */
const asked = (flags: ConfigFlags) => ({ ...place, flags: { ...flags } });

async function load(flags: ConfigFlags) {
  const { loadConfig } = await import('../config/load.ts');
  return loadConfig(asked(flags));
}

/** `troupe events | head`: the reader has gone and wants no more. */
const readerGone = (error: NodeJS.ErrnoException): void => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
};

async function serve(flags: ConfigFlags): Promise<number> {
  const [{ startServer }, { stopOnSignals }] = await Promise.all([
    import('./serve.ts'),
    import('./signals.ts'),
  ]);
  const server = await startServer({ ...asked(flags), stdout: process.stdout });
  // A server goes on without its terminal.
  process.stdout.off('error', readerGone);
  stopOnSignals(server);
  return await server.done;
}

const local: Local = {
  serve,
  async checkConfig(flags) {
    const { AppError } = await import('../domain/errors.ts');
    try {
      const { file, warnings } = await load(flags);
      return { file, problems: [], warnings, text: '' };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'config_invalid') throw error;
      const problems = error.data.problems as [];
      return { file: null, problems, warnings: [], text: error.message };
    }
  },
  async showConfig(flags) {
    const { describeConfig } = await import('../config/describe.ts');
    return describeConfig(await load(flags));
  },
  roles: async (flags) => [...(await load(flags)).roles],
  async role(name, flags) {
    const { showRole } = await import('../config/describe.ts');
    return showRole(await load(flags), name);
  },
  async doctor(flags) {
    const { examine } = await import('./doctor.ts');
    return await examine({ ...place, load: () => load(flags) });
  },
  async gc(stateDir, ask) {
    const { gcStopped } = await import('./stopped.ts');
    return await gcStopped(resolve(place.cwd, stateDir), ask);
  },
  async restore(file, stateDir) {
    const { restoreStopped } = await import('./stopped.ts');
    return restoreStopped(resolve(place.cwd, file), resolve(place.cwd, stateDir));
  },
};

const deps: CliDeps = {
  env: process.env,
  cwd: process.cwd(),
  version: JSON.parse(readFileSync(`${packageRoot}/package.json`, 'utf8')).version,
  streams: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
  onInterrupt(listener) {
    process.on('SIGINT', listener);
    return () => void process.off('SIGINT', listener);
  },
  local,
};

process.stdout.on('error', readerGone);
// Built as CommonJS, which has no await outside of functions.
void runCli(process.argv.slice(2), deps).then((code) => {
  // Pipes are written behind our back: leave only when the last byte is out.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
});
