// `troupe doctor`: what is missing or wrong on this machine, and what to do about each.
import type { Command } from 'commander';
import type { Cli, ConfigFlags, Run } from '../cli.ts';
import { withConfigFlags } from '../config-flags.ts';
import { EXIT } from '../exit.ts';
import type { Tone } from '../terminal.ts';

const TONE: Record<'ok' | 'warn' | 'fail', Tone> = { ok: 'good', warn: 'warn', fail: 'bad' };

async function doctor(cli: Cli, flags: ConfigFlags): Promise<number> {
  const checks = await cli.deps.local.doctor(flags);
  const failed = checks.some(({ level }) => level === 'fail');
  if (cli.json) cli.term.json({ ok: !failed, checks });
  else
    for (const { name, level, found, fix } of checks) {
      const [head = '', ...rest] = found.split('\n');
      cli.term.line({ tone: TONE[level], text: level.padEnd(4) }, `  ${name.padEnd(14)}  ${head}`);
      for (const line of rest) cli.term.line(`${' '.repeat(22)}${line}`);
      if (level !== 'ok' && fix !== '') cli.term.line(`${' '.repeat(20)}→ ${fix}`);
    }
  return failed ? EXIT.failed : EXIT.ok;
}

export function addDoctor(program: Command, run: Run): void {
  withConfigFlags(program.command('doctor'))
    .description('Checks what a server here needs; exit code 1 if something is missing.')
    .action((flags: ConfigFlags) => run((cli) => doctor(cli, flags)));
}
