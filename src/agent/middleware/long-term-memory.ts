// long-term-memory: what is remembered goes under the system prompt of every model call, as data.
import { frameData } from '../../domain/data-frame.ts';
import type { Middleware } from '../middleware.ts';

/** `block`: text made by main for this run; empty means that there is nothing to say. */
export function longTermMemory(block: string): Middleware {
  if (block.trim() === '') return { name: 'long-term-memory' };
  const framed = `\n\nWhat is remembered from earlier work:\n${frameData('memory', block)}`;
  return {
    name: 'long-term-memory',
    beforeModel(_ctx, request) {
      const [first, ...rest] = request.messages;
      if (first?.role !== 'system')
        request.messages = [{ role: 'system', content: framed.trim() }, ...request.messages];
      else request.messages = [{ ...first, content: first.content + framed }, ...rest];
    },
  };
}
