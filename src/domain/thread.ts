// A thread as a model may see it: every tool call has a result, whatever was interrupted. Pure.
import type { Message } from './message.ts';

export const INTERRUPTED =
  'interrupted: this call had started and its result was lost; it may or may not have taken effect. ' +
  'Look at the current state before you repeat it.';
export const NOT_STARTED = 'interrupted before this call started; it had no effect.';

/**
 * Gives every unanswered tool call an answer, in place. `started` holds the ids of calls that are known to have
 * started, the others never did; without it any of them may have. `known`: what is known of their effect;
 * `results`: what the runtime can still answer for a call, by its id.
 */
export function repairThread(
  messages: readonly Message[],
  started?: ReadonlySet<string>,
  known = '',
  results: ReadonlyMap<string, string> = new Map(),
): Message[] {
  const out: Message[] = [];
  let open: { id: string; name: string }[] = [];
  const close = (): void => {
    for (const { id, name } of open) {
      const answer = { role: 'tool' as const, tool_call_id: id, tool_name: name };
      const content = !started || started.has(id) ? `${INTERRUPTED}${known}` : NOT_STARTED;
      const result = results.get(id);
      out.push(result ? { ...answer, content: result } : { ...answer, content, is_error: true });
    }
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
