// The thread-centric stream: the same frames, as numbered events on channels. One translator a reader, because text
// that arrives in pieces opens and closes a message.
import type { ProtocolRun } from '../../domain/protocol.ts';
import type { Frame } from './frames.ts';
import { isJson, type Json } from './messages.ts';
import type { StreamMode } from './run-request.ts';

export const CHANNELS = [
  ...(['values', 'updates', 'messages', 'tools', 'lifecycle', 'input'] as const),
  ...(['checkpoints', 'custom'] as const),
];
export type ThreadEvent = { channel: (typeof CHANNELS)[number]; method: string; data: unknown };

/** What a run is read with for these channels. */
export function modesFor(channels: readonly string[]): StreamMode[] {
  const wants = (name: string): boolean =>
    channels.some((channel) => channel === name || channel.startsWith(`${name}:`));
  const modes = (['values', 'updates', 'tools', 'checkpoints', 'custom'] as const).filter(wants);
  return wants('messages') ? [...modes, 'messages', 'messages-tuple'] : modes;
}

const LIFECYCLE: Record<string, string> = {
  success: 'completed',
  error: 'failed',
  timeout: 'failed',
  interrupted: 'interrupted',
};

export function createThreadEvents(run: ProtocolRun) {
  let open: string | null = null;
  let failure: string | null = null;
  let text = '';

  const message = (data: Json): ThreadEvent => ({ channel: 'messages', method: 'messages', data });
  const begin = (id: string): ThreadEvent[] => {
    open = id;
    text = '';
    return [
      message({ event: 'message-start', role: 'ai', id }),
      message({ event: 'content-block-start', index: 0, content: { type: 'text', text: '' } }),
    ];
  };
  const more = (piece: string): ThreadEvent => {
    text += piece;
    return message({
      event: 'content-block-delta',
      index: 0,
      delta: { type: 'text-delta', text: piece },
    });
  };
  const finish = (): ThreadEvent[] => {
    open = null;
    return [
      message({ event: 'content-block-finish', index: 0, content: { type: 'text', text } }),
      message({ event: 'message-finish' }),
    ];
  };

  function ofMessages(data: unknown): ThreadEvent[] {
    const [chunk] = data as [Json];
    if (chunk?.type !== 'AIMessageChunk') return [];
    const id = String(chunk.id);
    const before = open !== null && open !== id ? finish() : [];
    const start = open === id ? [] : begin(id);
    return [...before, ...start, more(String(chunk.content))];
  }
  /** A message that is whole: what was not sent in pieces is sent now. */
  function ofComplete(data: unknown): ThreadEvent[] {
    return (data as Json[]).flatMap((whole) => {
      if (whole.type !== 'ai') return [];
      if (open !== null) return finish();
      const content = String(whole.content);
      return content === '' ? [] : [...begin(String(whole.id)), more(content), ...finish()];
    });
  }
  function ofTool(data: unknown): ThreadEvent[] {
    const { state, detail, data: given } = data as { state: string; detail: string; data: Json };
    const call = { tool_call_id: given.call_id, tool_name: given.name };
    const told =
      state === 'started'
        ? { event: 'tool-started', ...call, input: given.arguments }
        : state === 'finished'
          ? { event: 'tool-finished', ...call, output: detail }
          : { event: 'tool-error', ...call, message: detail };
    return [{ channel: 'tools', method: 'tools', data: told }];
  }

  const lifecycle = (data: Json): ThreadEvent => ({
    channel: 'lifecycle',
    method: 'lifecycle',
    data: { graph_name: run.assistant, ...data },
  });
  function ofEnd(data: unknown): ThreadEvent[] {
    const event = LIFECYCLE[String((data as Json).status)] ?? 'completed';
    return [
      ...(open === null ? [] : finish()),
      lifecycle({ event, ...(failure === null ? {} : { error: failure }) }),
    ];
  }
  function ofValues(data: unknown): ThreadEvent[] {
    const asked = isJson(data) ? data.__interrupt__ : undefined;
    if (!Array.isArray(asked)) return [{ channel: 'values', method: 'values', data }];
    return asked.map(({ id, value }) => ({
      channel: 'input',
      method: 'input.requested',
      data: { interrupt_id: id, payload: value },
    }));
  }

  function ofState({ checkpoint, parent_checkpoint, metadata }: Json): ThreadEvent {
    const idOf = (given: unknown) => (given as Json | null)?.checkpoint_id;
    const { step, source } = metadata as Json;
    const data = { id: idOf(checkpoint), parent_id: idOf(parent_checkpoint), step, source };
    return { channel: 'checkpoints', method: 'checkpoints', data };
  }

  return ({ event, data }: Frame): ThreadEvent[] => {
    switch (event) {
      case 'metadata':
        return [lifecycle({ event: 'running' })];
      case 'values':
        return ofValues(data);
      case 'messages':
        return ofMessages(data);
      case 'messages/complete':
        return ofComplete(data);
      case 'tools':
        return ofTool(data);
      case 'updates':
        return isJson(data) && '__interrupt__' in data
          ? []
          : Object.entries(data as Json).map(([node, values]) => ({
              channel: 'updates',
              method: 'updates',
              data: { node, values },
            }));
      case 'checkpoints':
        return [ofState(data as Json)];
      case 'custom':
        return [{ channel: 'custom', method: 'custom', data: { name: 'event', payload: data } }];
      case 'error':
        failure = (data as { message: string }).message;
        return [];
      case 'end':
        return ofEnd(data);
      default:
        return [];
    }
  };
}
