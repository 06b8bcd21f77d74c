// glob: files whose path matches a pattern. The matcher is loaded on first use.

import type { Tool, ToolContext } from '../domain/tool.ts';
import { openFolder } from './files/confine.ts';
import { withSimilar } from './files/similar.ts';
import { skippedBut } from './files/skipped.ts';
import { walk } from './files/walk.ts';
import { failed, succeeded } from './result.ts';

const MOST = 1_000;
/** A walk of a very large tree ends here with what was found and says so: the agent waits. */
const DEADLINE_MS = 10_000;

type Found = { paths: string[]; cut: boolean };

async function find(pattern: string, path: string, ctx: ToolContext): Promise<Found> {
  const { default: picomatch } = await import('picomatch');
  const isMatch = picomatch(pattern.replace(/^\.\//, ''), { dot: true });
  const folder = await openFolder(ctx.workdir, path).catch(async (error) => {
    throw await withSimilar(error, ctx.workdir, path);
  });
  const deadline = performance.now() + DEADLINE_MS;
  const found: Found = { paths: [], cut: false };
  const stop = (): boolean => {
    if (ctx.signal.aborted || performance.now() > deadline) found.cut = true;
    return found.cut;
  };
  try {
    const skip = new Set(skippedBut(pattern, path));
    const prefix = folder.rel === '' ? '' : `${folder.rel}/`;
    for await (const entry of walk(folder, { root: ctx.workdir, skip, stop })) {
      if (entry.kind === 'folder' || !isMatch(entry.rel)) continue;
      if (found.paths.length >= MOST) {
        found.cut = true;
        break;
      }
      found.paths.push(prefix + entry.rel);
    }
    return found;
  } finally {
    await folder.handle.close();
  }
}

export const glob: Tool = {
  name: 'glob',
  description:
    'Finds files by a pattern such as **/*.ts or src/*.{js,ts}. Paths in the answer are relative to the working folder. .git, node_modules and the like are searched only when the pattern names them.',
  parameters: {
    type: 'object',
    properties: {
      pattern: { type: 'string', minLength: 1, maxLength: 1_000 },
      path: { type: 'string', description: 'Folder to start in; the pattern is relative to it.' },
    },
    required: ['pattern'],
    additionalProperties: false,
  },
  async run(args, ctx) {
    const { pattern, path = '.' } = args as { pattern: string; path?: string };
    if (pattern.startsWith('/') || pattern.split('/').includes('..'))
      return failed(`the pattern "${pattern}" must be relative and without ".."; use path`);
    const { paths, cut } = await find(pattern, path || '.', ctx);
    const note = cut ? `\n[not all: ${paths.length} files shown; narrow the pattern]` : '';
    if (paths.length === 0 && !cut)
      return succeeded(
        `no file matches ${pattern}${pattern.includes('/') ? '' : ` in this folder itself; **/${pattern} looks below it too`}`,
        `glob ${pattern}: none`,
      );
    return succeeded(paths.join('\n') + note, `glob ${pattern}: ${paths.length} files`);
  },
};
