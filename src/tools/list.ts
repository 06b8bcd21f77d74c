// list: what is in one folder. Links are named with where they lead, never followed.
import { lstat, readlink } from 'node:fs/promises';
import type { Tool } from '../domain/tool.ts';
import { openFolder } from './files/confine.ts';
import { withSimilar } from './files/similar.ts';
import { entriesOf } from './files/walk.ts';
import { succeeded } from './result.ts';

const MOST = 1_000;

async function describe(path: string, name: string): Promise<string | null> {
  const stat = await lstat(path).catch(() => null);
  if (!stat) return null;
  if (stat.isDirectory()) return `${name}/`;
  if (stat.isSymbolicLink()) return `${name} -> ${await readlink(path).catch(() => '?')}`;
  if (stat.isFile()) return `${name}\t${stat.size} bytes`;
  return `${name}\t(pipe, socket or device)`;
}

export const list: Tool = {
  name: 'list',
  description: 'Lists one folder of the working folder: folders end with /, files have their size.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Folder, relative to the working folder; default ".".' },
    },
    additionalProperties: false,
  },
  async run(args, ctx) {
    const path = (args as { path?: string }).path || '.';
    const folder = await openFolder(ctx.workdir, path).catch(async (error) => {
      throw await withSimilar(error, ctx.workdir, path);
    });
    try {
      const entries = await entriesOf(folder);
      const shown = entries.slice(0, MOST);
      const rows = await Promise.all(
        shown.map((e) => describe(`${folder.base}/${e.name}`, e.name)),
      );
      const lines = rows.filter((row) => row !== null);
      if (lines.length === 0)
        return succeeded(`"${path}" is an empty folder`, `list ${path}: empty`);
      if (entries.length > MOST)
        lines.push(`[${entries.length - MOST} of ${entries.length} entries left out; use glob]`);
      return succeeded(lines.join('\n'), `list ${path}: ${entries.length} entries`);
    } finally {
      await folder.handle.close();
    }
  },
};
