// grep: lines that match a regular expression, with ripgrep where it is there. Deadline and size are bounded.

import { headOf, wellFormed } from '../domain/text.ts';
import type { Tool, ToolContext, ToolResult } from '../domain/tool.ts';
import { type Opened, type OpenedFolder, openFile, openFolder } from './files/confine.ts';
import { plainSearch } from './files/plain-search.ts';
import { findRipgrep, type Matches, ripgrep, type SearchAsk } from './files/ripgrep.ts';
import { withSimilar } from './files/similar.ts';
import { SKIPPED, skippedBut } from './files/skipped.ts';
import { failed, succeeded } from './result.ts';

/** Why: a search of a huge tree gives what it has by then, and says so. */
const DEADLINE_MS = 20_000;

type Args = {
  pattern: string;
  path?: string;
  glob?: string;
  show?: SearchAsk['show'];
  context?: number;
  ignored?: boolean;
};

const openTarget = (root: string, path: string): Promise<OpenedFolder | Opened> =>
  openFolder(root, path).catch(async (error) => {
    if (error?.code === 'bad_request') return openFile(root, path);
    throw await withSimilar(error, root, path);
  });

/** A row of the search with the path as the agent names it. */
function labelled(row: string, where: OpenedFolder | Opened, show: SearchAsk['show']): string {
  if (row === '--') return row;
  if ('base' in where) return (where.rel === '' ? '' : `${where.rel}/`) + row.replace(/^\.\//, '');
  if (show === 'files') return where.rel;
  return where.rel + (/^\d+-/.test(row) ? '-' : ':') + row;
}

function answer(
  args: Args,
  found: Matches,
  where: OpenedFolder | Opened,
  limit: number,
): ToolResult {
  if (found.error !== null)
    return failed(
      `the pattern was not accepted: ${found.error}\nQuote special characters with \\.`,
    );
  const body = headOf(found.text, limit);
  const rows = body.split('\n').filter((row) => row !== '');
  if (body.length < found.text.length) rows.pop();
  const lines = rows.map((row) => labelled(row, where, args.show ?? 'lines'));
  const why = found.ended === 'deadline' ? `stopped after ${DEADLINE_MS / 1000} s` : 'too many';
  const more = found.ended === 'all' && body.length === found.text.length;
  const note = more ? '' : `\n[not all matches (${why}); narrow the pattern, path or glob]`;
  if (lines.length === 0 && more)
    return succeeded(
      `no match for ${args.pattern}${args.ignored || !('base' in where) ? '' : ' (installed packages and what .gitignore names were left out; "ignored": true searches them too)'}`,
      `grep ${args.pattern}: none`,
    );
  return succeeded(
    wellFormed(lines.join('\n')) + note,
    `grep ${args.pattern}: ${lines.length} lines`,
  );
}

/** Whoever names a folder that is left out otherwise wants what is in it, whatever ignore files say. */
function skips({ ignored = false, path, glob }: Args): Pick<SearchAsk, 'ignored' | 'skip'> {
  if (ignored) return { ignored, skip: ['.git'] };
  const skip = skippedBut(path, glob);
  return { ignored: skip.length < SKIPPED.length, skip };
}

async function search(program: string | null, args: Args, ctx: ToolContext): Promise<ToolResult> {
  const limit = Math.max(1_000, ctx.result_limit - 1_000);
  const where = await openTarget(ctx.workdir, args.path || '.');
  const ask = {
    pattern: args.pattern,
    glob: args.glob ?? null,
    show: args.show ?? 'lines',
    context: args.context ?? 0,
    ...skips(args),
    max_bytes: limit,
    deadline_ms: DEADLINE_MS,
    signal: ctx.signal,
    markers: ctx.markers,
  };
  try {
    const found = program
      ? await ripgrep(program, where, ask)
      : await plainSearch(ctx.workdir, where, ask);
    return answer(args, found, where, limit);
  } finally {
    await where.handle.close();
  }
}

/** `locate` answers with the path of ripgrep, or null to search without it. */
export const createGrep = (locate: () => Promise<string | null> = findRipgrep): Tool => ({
  name: 'grep',
  description:
    'Searches file contents with a regular expression (Rust syntax; (?i) at its start ignores case). Answers path:line:text. Installed packages (node_modules and the like) and what .gitignore names are left out unless "ignored" is true.',
  parameters: {
    type: 'object',
    properties: {
      pattern: { type: 'string', minLength: 1, maxLength: 5_000 },
      path: { type: 'string', description: 'Folder or file to search in; default ".".' },
      glob: { type: 'string', description: 'Only files that match, e.g. *.ts' },
      show: {
        type: 'string',
        enum: ['lines', 'files', 'count'],
        description: 'Matching lines (default), only the paths, or the number of matching lines.',
      },
      context: {
        type: 'integer',
        minimum: 0,
        maximum: 20,
        description: 'Lines to show around each match, as path-line-text.',
      },
      ignored: { type: 'boolean', description: 'Also search what is left out otherwise.' },
    },
    required: ['pattern'],
    additionalProperties: false,
  },
  async run(args, ctx) {
    return search(await locate(), args as Args, ctx);
  },
});
