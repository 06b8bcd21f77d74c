// A summary without a model: what was done, call by call, as far as there is room; the newest is kept. Pure.
import type { Message } from '../../domain/message.ts';
import { headOf, oneLine } from '../../domain/text.ts';

const LINE = 160;

function pathOf(args: string): string | null {
  try {
    const { path } = JSON.parse(args) as { path?: unknown };
    return typeof path === 'string' ? path : null;
  } catch {
    return null;
  }
}

/** Files that calls have written, each once, in the order of the first time. */
function filesOf(messages: readonly Message[]): string[] {
  const failed = new Set(
    messages.flatMap((m) => (m.role === 'tool' && m.is_error ? [m.tool_call_id] : [])),
  );
  const calls = messages.flatMap((m) => (m.role === 'assistant' ? (m.tool_calls ?? []) : []));
  const paths = calls
    .filter(({ id, name }) => (name === 'write' || name === 'edit') && !failed.has(id))
    .flatMap(({ arguments: args }) => pathOf(args) ?? []);
  return [...new Set(paths)];
}

function linesOf(message: Message): string[] {
  if (message.role === 'tool') {
    const how = message.is_error ? 'failed' : 'gave';
    return [`- ${message.tool_name} ${how}: ${oneLine(message.content, LINE)}`];
  }
  const who = message.role === 'assistant' ? 'agent' : 'notice';
  const said = message.content.trim() === '' ? [] : [`- ${who}: ${oneLine(message.content, LINE)}`];
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return [...said, ...calls.map((c) => `- call ${c.name} ${oneLine(c.arguments, LINE)}`)];
}

/** `former`: the summary before, or empty. At most `limit` bytes. */
export function digestOf(former: string, dropped: readonly Message[], limit: number): string {
  const files = filesOf(dropped).join(', ');
  const head = [
    former === '' ? '' : `Before that:\n${headOf(former, Math.floor(limit / 2))}`,
    files === '' ? '' : `Files written or changed: ${headOf(files, Math.floor(limit / 6))}`,
  ].filter(Boolean);
  const lines = dropped.flatMap(linesOf);
  let room = limit - Buffer.byteLength(head.join('\n\n')) - 100;
  const kept: string[] = [];
  for (const line of lines.reverse()) {
    room -= Buffer.byteLength(line) + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  const left = lines.length - kept.length;
  const steps = kept.length === 0 ? [] : [`What was done, oldest first:\n${kept.join('\n')}`];
  const note = left > 0 ? [`${left} earlier lines are left out.`] : [];
  return [...head, ...note, ...steps].join('\n\n');
}
