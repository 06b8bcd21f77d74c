// Lines of a body that streams, one stateful decoder for all of it: characters cut in two come out whole.

/** A line is one piece of an answer; what is longer is no line. */
const MOST_CHARS = 8 * 1024 * 1024;

/** Lines without their ends; empty ones are left out. Ends the request when the reader leaves. */
export async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let held = '';
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    held += decoder.decode(bytes, { stream: true });
    const lines = held.split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield line;
    if (held.length > MOST_CHARS) throw new Error('a line of the answer is longer than 8 MiB');
  }
  held += decoder.decode();
  if (held.trim() !== '') yield held;
}
