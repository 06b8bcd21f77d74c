// `troupe serve`: a server on this machine, until Ctrl-C or SIGTERM. The server itself is composed in bin.
import type { Command } from 'commander';
import type { ConfigFlags, Run } from '../cli.ts';
import { withConfigFlags } from '../config-flags.ts';

export function addServe(program: Command, run: Run): void {
  withConfigFlags(program.command('serve'))
    .description('Starts a server here. Ctrl-C or SIGTERM stops it and everything it started.')
    .action((flags: ConfigFlags) => run((cli) => cli.deps.local.serve(flags)));
}
