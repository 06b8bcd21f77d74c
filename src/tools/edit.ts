// edit: replaces an exact piece of text in a file. Never guesses: no match or several are answers that help.

import { headOf } from '../domain/text.ts';
import type { Tool, ToolContext, ToolResult } from '../domain/tool.ts';
import { openFile } from './files/confine.ts';
import { findText, lineAt } from './files/find-text.ts';
import { replaceFile, type Stamp, stampOf } from './files/replace.ts';
import { withSimilar } from './files/similar.ts';
import { failed, succeeded } from './result.ts';

const MOST_BYTES = 16 * 1024 * 1024;

async function load(
  ctx: ToolContext,
  path: string,
): Promise<{ text: string; stamp: Stamp; rel: string } | string> {
  const file = await openFile(ctx.workdir, path).catch(async (error) => {
    throw await withSimilar(error, ctx.workdir, path);
  });
  try {
    if (file.stat.size > MOST_BYTES)
      return `"${path}" has ${file.stat.size} bytes; edit takes files up to ${MOST_BYTES}. Use shell.`;
    const bytes = await file.handle.readFile();
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      return { text, stamp: stampOf(file.stat), rel: file.rel };
    } catch {
      return `"${path}" is not valid UTF-8; edit would damage it. Use shell.`;
    }
  } finally {
    await file.handle.close();
  }
}

/** Lines around a change that are shown. */
const AROUND = 3;
const MOST_SHOWN = 30;

/** The changed lines and some around them as they are now, numbered as read numbers them. */
function shown(text: string, at: number, fresh: string): string {
  const first = Math.max(1, lineAt(text, at) - AROUND);
  const last = lineAt(text, at + fresh.length) + AROUND;
  const lines = text.split('\n').slice(first - 1, last);
  if (lines.length > MOST_SHOWN) return '';
  const rows = lines.map((l, i) => `${String(first + i).padStart(6)}\t${headOf(l, 300)}`);
  return `\n${rows.join('\n').replaceAll('\r', '')}`;
}

type Args = { path: string; old: string; new: string; all?: boolean };

async function apply(args: Args, ctx: ToolContext): Promise<ToolResult> {
  const { path, old, all = false } = args;
  const loaded = await load(ctx, path);
  if (typeof loaded === 'string') return failed(loaded);
  const { text, stamp, rel } = loaded;
  const match = findText(text, old, args.new);
  if (match.kind === 'missing')
    return failed(`"old" was not found in ${path}; nothing was changed. ${match.hint}`);
  const lines = match.at.slice(0, 10).map((at) => lineAt(text, at));
  if (match.at.length > 1 && !all)
    return failed(
      `"old" occurs ${match.at.length} times in ${path} (lines ${lines.join(', ')}); nothing was changed. Add surrounding lines to "old" until it is unique, or set "all" to true to replace every one.`,
    );
  const changed = text.split(match.old).join(match.fresh);
  await replaceFile(ctx.workdir, rel, Buffer.from(changed, 'utf8'), stamp);
  const where = match.at.length === 1 ? `line ${lines[0]}` : `${match.at.length} places`;
  const now = match.at.length === 1 ? shown(changed, match.at[0] ?? 0, match.fresh) : '';
  return succeeded(`edited ${path} at ${where}${now}`, `edited ${path} at ${where}`);
}

export const edit: Tool = {
  name: 'edit',
  description:
    'Replaces text in a file of the working folder. "old" must be exactly what is in the file (without line numbers) and occur once; set "all" to replace every occurrence.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Path relative to the working folder.' },
      old: { type: 'string', description: 'The text to replace, exactly as it is in the file.' },
      new: { type: 'string', description: 'The text to put in its place.' },
      all: { type: 'boolean', description: 'Replace every occurrence.' },
    },
    required: ['path', 'old', 'new'],
    additionalProperties: false,
  },
  async run(args, ctx) {
    const asked = args as Args;
    if (asked.old === '') return failed('"old" is empty: name the text to replace, or use write');
    if (asked.old === asked.new) return failed('"old" and "new" are the same: nothing to change');
    return apply(asked, ctx);
  },
};
