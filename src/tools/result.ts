// How a tool says what came of it: a result for the model, never an exception.
import { AppError } from '../domain/errors.ts';
import { oneLine } from '../domain/text.ts';
import type { Tool, ToolContext, ToolResult } from '../domain/tool.ts';

export const succeeded = (content: string, summary: string): ToolResult => ({
  ok: true,
  content,
  summary: oneLine(summary),
});
export const failed = (content: string): ToolResult => ({
  ok: false,
  content,
  summary: oneLine(content),
});

const SYSTEM_ERRORS: Record<string, string> = {
  EACCES: 'permission denied',
  ENOSPC: 'the disk is full',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'it is a symbolic link that may not be followed here',
  ENOTDIR: 'a part of the path is not a folder',
};

/** Text for the model about anything that a tool threw. */
export function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const text = error instanceof Error ? error.message : String(error);
  return SYSTEM_ERRORS[code] ?? text;
}

/** The tool with every exception turned into a failed result. */
export const guarded = (tool: Tool): Tool => ({
  ...tool,
  async run(args: Record<string, unknown>, ctx: ToolContext): Promise<ToolResult> {
    try {
      return await tool.run(args, ctx);
    } catch (error) {
      return failed(`${tool.name} failed: ${reasonOf(error)}`);
    }
  },
});
