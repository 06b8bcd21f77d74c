// Newline-delimited JSON: lines out of byte chunks, wherever these are cut. Never splits a character.

/** Complete lines without their newline; a last line without one is given as well. Throws on broken UTF-8. */
export async function* lines(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
      parts.push(text.slice(0, at));
      yield parts.join('');
      parts = [];
      length = 0;
      text = text.slice(at + 1);
    }
    length += text.length;
    if (length > limit) throw new Error(`a line is longer than ${limit} characters`);
    if (text !== '') parts.push(text);
  }
  parts.push(decoder.decode());
  const rest = parts.join('');
  if (rest !== '') yield rest;
}
