// What readers of a run are sent: events and checkpoints of this server in the words of the protocol. Pure.
import type { TroupeEvent } from '../../domain/event.ts';
import type { Checkpoint } from '../../domain/ports.ts';
import { type Json, messagesOf } from './messages.ts';
import type { StreamMode } from './run-request.ts';
import { NODE } from './state.ts';

export type Frame = { event: string; data: unknown };
export type Speaking = {
  run_id: string;
  thread_id: string;
  assistant: string;
  /** Id of the message that is being written, and what there is of it. */
  message_id: string;
  text: string;
};

const metaOf = ({ run_id, thread_id, assistant }: Speaking): Json => ({
  run_id,
  thread_id,
  assistant_id: assistant,
  langgraph_node: NODE,
  tags: [],
});

/** Text that a model has just written. */
export function ofText(text: string, speaking: Speaking, modes: readonly StreamMode[]): Frame[] {
  const out: Frame[] = [];
  const { message_id: id } = speaking;
  const rest = { additional_kwargs: {}, response_metadata: {}, tool_calls: [] };
  if (modes.includes('messages-tuple')) {
    const chunk = { ...rest, id, type: 'AIMessageChunk', content: text, tool_call_chunks: [] };
    out.push({ event: 'messages', data: [chunk, metaOf(speaking)] });
  }
  if (modes.includes('messages')) {
    const message = { ...rest, id, type: 'ai', content: speaking.text };
    out.push({ event: 'messages/partial', data: [message] });
  }
  return out;
}

/** Everything else that happens: tools, moves of subagents, policies. */
export function ofEvent(event: TroupeEvent, modes: readonly StreamMode[]): Frame[] {
  const { kind, state, detail, role, task_id, agent_id, data, at } = event;
  const told = { kind, state, detail, role, task_id, agent_id, data, at };
  const out: Frame[] = [];
  if (modes.includes('custom')) out.push({ event: 'custom', data: told });
  if (modes.includes('tools') && kind === 'tool') out.push({ event: 'tools', data: told });
  if (modes.includes('lifecycle') && kind === 'subagent')
    out.push({ event: 'lifecycle', data: told });
  return out;
}

/** A step: what it added, and the values after it. */
export function ofCheckpoint(
  row: Checkpoint,
  after: { values: Json; state: Json },
  speaking: Speaking,
  modes: readonly StreamMode[],
): Frame[] {
  const out: Frame[] = [];
  const messages = messagesOf(row);
  const input = row.step < 0;
  if (modes.includes('messages-tuple'))
    for (const message of messages.filter(({ type }) => type === 'tool'))
      out.push({ event: 'messages', data: [message, metaOf(speaking)] });
  if (modes.includes('messages') && !input)
    out.push({ event: 'messages/complete', data: messages });
  if (modes.includes('updates') && !input)
    out.push({ event: 'updates', data: { [NODE]: { messages } } });
  if (modes.includes('checkpoints')) out.push({ event: 'checkpoints', data: after.state });
  if (modes.includes('values')) out.push({ event: 'values', data: after.values });
  return out;
}
