// `troupe brain`: the shared notes of a query, printed or exported as a folder of Markdown notes.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { BrainNote } from '../../domain/brain.ts';
import { brainPages } from '../brain-pages.ts';
import type { Cli, Run } from '../cli.ts';
import { segment } from '../client.ts';
import { CliError, EXIT } from '../exit.ts';

type BrainOptions = { branch?: string; export?: string };

const ALL = 100_000;

async function save(cli: Cli, id: string, notes: BrainNote[], folder: string): Promise<number> {
  const target = resolve(cli.deps.cwd, folder);
  const pages = brainPages(id, notes);
  await mkdir(target, { recursive: true });
  // Never over a file: somebody may have written into it.
  for (const { name, text } of pages)
    await writeFile(join(target, `${name}.md`), text, { flag: 'wx' }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        const hint = 'name another folder';
        throw new CliError(EXIT.failed, 'file_exists', `${target}/${name}.md exists already`, hint);
      },
    );
  if (cli.json) cli.term.json({ folder: target, files: pages.map(({ name }) => `${name}.md`) });
  else cli.term.line(`${target}  ${pages.length} files, ${notes.length} notes`);
  return EXIT.ok;
}

async function brain(cli: Cli, id: string, o: BrainOptions): Promise<number> {
  const client = await cli.connect();
  const path = `/v1/queries/${segment(id)}/brain`;
  const notes = await client.list<BrainNote>(path, { branch: o.branch }, ALL);
  if (o.export !== undefined) return save(cli, id, notes, o.export);
  if (cli.json) cli.term.json(notes);
  else if (notes.length === 0) cli.term.line('no notes');
  else
    cli.term.table(notes, [
      { title: 'NOTE', value: (n) => n.note_id },
      { title: 'AT', value: (n) => n.at },
      { title: 'ROLE', value: (n) => n.role },
      { title: 'AUTHOR', value: (n) => n.author },
      { title: 'BRANCH', value: (n) => n.branch },
      { title: 'TEXT', value: (n) => n.note, cut: true },
    ]);
  return EXIT.ok;
}

export function addBrain(program: Command, run: Run): void {
  program
    .command('brain <query>')
    .description('the notes that the agents of a query left for each other')
    .option('--branch <id>', 'only one branch: main, or the id of a task')
    .option('--export <dir>', 'write them as Markdown notes with [[links]] into this folder')
    .action((id: string, o: BrainOptions) => run((cli) => brain(cli, id, o)));
}
