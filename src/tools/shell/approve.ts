// A command that could do lasting harm is run only when a person has seen all of it and said yes.

import type { ToolContext, ToolResult } from '../../domain/tool.ts';
import { visibleText } from '../../domain/visible-text.ts';
import { askPerson } from '../person.ts';
import { failed } from '../result.ts';

/** Characters of a command that a person can be expected to read. */
const READABLE = 4_000;

/** Null: it may run. `risk`: why it is asked about. Where nobody can be asked the run stops, for safety. */
export async function approve(
  command: string,
  risk: string,
  ctx: ToolContext,
): Promise<ToolResult | null> {
  const why = `the command was not run, because ${risk}: ${command.slice(0, 200)}`;
  const stop = { ...failed(why), safe_stop: why };
  // What is approved must be what is run: nothing that is cut off, nothing that cannot be seen.
  if (command.length > READABLE || visibleText(command) !== command.trim()) return stop;
  const answer = await askPerson(ctx, {
    kind: 'approval',
    action: `run a command, although ${risk}`,
    detail: command,
    subject: `shell: ${risk}`,
  });
  if (answer === 'left') return { ...failed('stopped before a decision'), unanswered: true };
  if (!answer.ok || answer.state === 'nobody') return stop;
  return answer.approved ? null : failed(`${why}\n${answer.text}`);
}
