// Which model has really answered the main agent: noted in the row of its turn when it is not the one asked first.
import type { ModelChunk } from '../domain/message.ts';
import type { Store } from '../domain/ports.ts';
import type { LoopRun } from '../domain/query.ts';
import { patchLoop } from './loop-run.ts';

/** Passes every chunk on as it is. */
export function createFallbackNote(store: Store, loop: LoopRun) {
  let noted = loop.fallback_model;
  return async function* through(chunks: AsyncIterable<ModelChunk>): AsyncGenerator<ModelChunk> {
    for await (const chunk of chunks) {
      // Before it is passed on: who has the end asks for nothing more.
      if (chunk.type === 'end' && chunk.model !== loop.model && chunk.model !== noted) {
        const fallback_model = chunk.model;
        noted = fallback_model;
        void store.soon((t) => patchLoop(t, loop, { fallback_model })).catch(() => {});
      }
      yield chunk;
    }
  };
}
