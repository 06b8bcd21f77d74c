import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import type { CliDeps } from '../../src/cli/cli.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { createProgram } from '../../src/cli/main.ts';

const doc = readFileSync('docs/cli.md', 'utf8');
const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const { program } = createProgram({
  ...{ env: {}, cwd: '/', version: '0', streams },
  onInterrupt: () => () => {},
} as unknown as CliDeps);

const named = (command: Command, path: string): [string, Command][] =>
  command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap((c) => named(c, `${path} ${c.name()}`));

it.each(named(program, 'troupe'))('docs/cli.md names %s and its options', (path, command) => {
  const mentions = new RegExp(`\`${path}[ \`]`).exec(doc);
  expect(mentions, path).not.toBeNull();
  const args = command.registeredArguments.map((a) =>
    a.required ? `<${a.name()}>` : `[${a.name()}]`,
  );
  expect(doc).toContain(`\`${[path, ...args].join(' ')}\``);
  for (const { long } of [...command.options, ...program.options])
    expect(doc).toContain(String(long));
});

it('docs/cli.md has a row for every exit code and for no other', () => {
  const rows = [...doc.matchAll(/^\| (\d+) \|/gm)].map((m) => Number(m[1]));
  expect(rows).toEqual(Object.values(EXIT).sort((a, b) => a - b));
});
