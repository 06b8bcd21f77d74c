// Reads the text/event-stream format out of bytes, however they are cut: within a character, within "\r\n".
// Pure but for the state between two pushes; knows nothing of events, sequences or connections.

export type SseMessage = { id: string | null; event: string; data: string };

/** Characters of one message; a server that sends more is broken. */
const MESSAGE_LIMIT = 16 * 1024 * 1024;

export function createSseParser(): {
  push(chunk: Uint8Array): SseMessage[];
  /** Milliseconds that the server asked to wait before a reconnect, or null. */
  retry(): number | null;
} {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let retry: number | null = null;
  let id: string | null = null;
  let event = '';
  let data: string[] = [];
  let size = 0;

  function field(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') {
      data.push(value);
      size += value.length;
    } else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) retry = Number(value);
  }
  function push(chunk: Uint8Array): SseMessage[] {
    const out: SseMessage[] = [];
    rest += decoder.decode(chunk, { stream: true });
    // A "\r" at the very end may be half of "\r\n": it waits for the next chunk.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') {
        field(line);
        continue;
      }
      if (data.length > 0) out.push({ id, event: event || 'message', data: data.join('\n') });
      event = '';
      data = [];
      size = 0;
    }
    if (size + rest.length > MESSAGE_LIMIT)
      throw new Error('a stream message is larger than 16 MiB');
    return out;
  }
  return { push, retry: () => retry };
}
