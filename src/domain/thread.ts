// A thread as a model may see it: every tool call has a result, whatever was interrupted. Pure.
import type { Message } from './message.ts';

export const INTERRUPTED =
  'interrupted: this call had started and its result was lost; it may or may not have taken effect. ' +
  'Look at the current state before you repeat it.';
export const NOT_STARTED = 'interrupted before this call started; it had no effect.';

/**
 * Gives every unanswered tool call an answer, in place. `started` holds the ids of calls that are known to have
 * started, the others never did; without it any of them may have. `known`: what is known of their effect.
 */
export function repairThread(
  messages: readonly Message[],
  started?: ReadonlySet<string>,
  known = '',
): Message[] {
  const out: Message[] = [];
  let open: { id: string; name: string }[] = [];
  const close = (): void => {
    for (const call of open)
      out.push({
        role: 'tool',
        tool_call_id: call.id,
        tool_name: call.name,
        content: !started || started.has(call.id) ? `${INTERRUPTED}${known}` : NOT_STARTED,
        is_error: true,
      });
    open = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') open = open.filter((c) => c.id !== message.tool_call_id);
    else {
      close();
      if (message.role === 'assistant')
        open = (message.tool_calls ?? []).map(({ id, name }) => ({ id, name }));
    }
    out.push(message);
  }
  close();
  return out;
}
