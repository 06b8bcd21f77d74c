// Server-sent events over fetch, so that the key travels in a header. One call is one connection.

export type Frame = { id: string; event: string; data: string };

function frameOf(block: string): Frame | null {
  const frame: Frame = { id: '', event: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, '');
    const field = line.slice(0, colon);
    if (field === 'id') frame.id = value;
    else if (field === 'event') frame.event = value;
    else if (field === 'data') data.push(value);
  }
  frame.data = data.join('\n');
  return data.length > 0 ? frame : null;
}

/**
 * Resolves when the server has ended the stream; rejects when it breaks, is silent for `silent_ms`, or is refused.
 * `onOpen` is called once, before the first frame; `onAlive` for everything that arrives, heartbeats included.
 */
export async function readStream(
  response: Response,
  silent_ms: number,
  onFrame: (frame: Frame) => void,
): Promise<void> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    let late: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error('the stream is silent')), silent_ms);
    });
    const { done, value } = await Promise.race([reader.read(), silence])
      .catch((error: unknown) => {
        void reader.cancel().catch(() => {});
        throw error;
      })
      .finally(() => clearTimeout(late));
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const frame = frameOf(block);
      if (frame) onFrame(frame);
    }
  }
}
