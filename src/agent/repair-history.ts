// A thread to go on from: every tool call has its result right after it, whatever was interrupted. Pure.
import type { Message } from '../domain/message.ts';

type ToolMessage = Extract<Message, { role: 'tool' }>;

export const INTERRUPTED =
  'interrupted: this call was started or about to start and its result is lost; it may or may not have taken effect. Look at the current state before you repeat it.';

/** `added`: results that were missing; the caller checkpoints them. Results without a call are left out. */
export function repairHistory(messages: readonly Message[]): {
  messages: Message[];
  added: Message[];
} {
  const results = new Map<string, ToolMessage[]>();
  for (const m of messages)
    if (m.role === 'tool') results.set(m.tool_call_id, [...(results.get(m.tool_call_id) ?? []), m]);
  const out: Message[] = [];
  const added: Message[] = [];
  for (const m of messages) {
    if (m.role === 'tool') continue;
    out.push(m);
    if (m.role !== 'assistant') continue;
    for (const call of m.tool_calls ?? []) {
      const found = results.get(call.id)?.shift();
      if (found) {
        out.push(found);
        continue;
      }
      const lost: ToolMessage = {
        role: 'tool',
        tool_call_id: call.id,
        tool_name: call.name,
        content: INTERRUPTED,
        is_error: true,
      };
      out.push(lost);
      added.push(lost);
    }
  }
  return { messages: out, added };
}
