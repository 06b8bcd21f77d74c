// Tool calls with ids that occur once in a thread: some models repeat or leave out theirs, and what main does
// for a call is idempotent by its id. Pure.
import type { Message, ToolCall } from '../domain/message.ts';

export const usedIds = (messages: readonly Message[]): Set<string> =>
  new Set(
    messages.flatMap((m) => (m.role === 'assistant' ? (m.tool_calls ?? []).map((c) => c.id) : [])),
  );

/**
 * Adds the ids it gives to `used`. `summaries`: those that the thread has; ids from before them are not all known any
 * more, so later ones are told apart by their number.
 */
export function withOwnIds(
  calls: readonly ToolCall[],
  used: Set<string>,
  summaries = 0,
): ToolCall[] {
  return calls.map((call) => {
    const given = call.id.trim() || 'call';
    const base = summaries === 0 ? given : `${given}_s${summaries}`;
    let id = base;
    for (let n = 2; used.has(id); n += 1) id = `${base}_${n}`;
    used.add(id);
    return id === call.id ? call : { ...call, id };
  });
}
