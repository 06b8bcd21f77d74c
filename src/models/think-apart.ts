// Models of one's own machine often write their thinking into the text, between <think> and </think> at its start.
// It becomes reasoning, so that nobody takes it for the answer. Tags may be cut anywhere.
import type { ModelChunk } from '../domain/message.ts';

const OPEN = '<think>';
const CLOSE = '</think>';

/** Characters at the end of the text that may be the beginning of the tag. */
function partAtEnd(text: string, tag: string): number {
  for (let n = Math.min(text.length, tag.length - 1); n > 0; n--)
    if (text.endsWith(tag.slice(0, n))) return n;
  return 0;
}

export async function* thinkApart(chunks: AsyncIterable<ModelChunk>): AsyncGenerator<ModelChunk> {
  let at: 'start' | 'thinking' | 'after' | 'text' = 'start';
  let held = '';

  function* take(final: boolean): Generator<ModelChunk> {
    if (at === 'start') {
      const begun = held.trimStart();
      if (begun.startsWith(OPEN)) {
        held = begun.slice(OPEN.length);
        at = 'thinking';
      } else if (final || (begun !== '' && !OPEN.startsWith(begun))) at = 'text';
    }
    if (at === 'thinking') {
      const close = held.indexOf(CLOSE);
      const keep = close >= 0 || final ? 0 : partAtEnd(held, CLOSE);
      const thought = close >= 0 ? held.slice(0, close) : held.slice(0, held.length - keep);
      if (thought !== '') yield { type: 'reasoning', text: thought };
      held = close >= 0 ? held.slice(close + CLOSE.length) : held.slice(held.length - keep);
      if (close >= 0) at = 'after';
    }
    if (at === 'after') {
      held = held.trimStart();
      if (held !== '') at = 'text';
    }
    if (at === 'text' && held !== '') {
      yield { type: 'text', text: held };
      held = '';
    }
  }

  for await (const chunk of chunks) {
    if (chunk.type === 'text') {
      held += chunk.text;
      yield* take(false);
    } else {
      if (chunk.type !== 'reasoning') yield* take(true);
      yield chunk;
    }
  }
}
