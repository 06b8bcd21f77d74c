// One model call: collects the stream into an answer. Never accepts a stream that ends without saying so.
import { AppError } from '../domain/errors.ts';
import type { FinishReason, ModelChunk, ToolCall, Usage } from '../domain/message.ts';
import { wellFormed } from '../domain/text.ts';

export type Answer = {
  text: string;
  reasoning: string;
  calls: ToolCall[];
  finish: FinishReason;
  model: string;
  usage: Usage;
};

/** Characters of one answer that are kept; what comes after counts as cut. */
const MOST_CHARS = 2_000_000;
const MOST_CALLS = 128;

/** Throws AppError with the code of the error chunk, or model_error for a broken stream. */
export async function collectAnswer(
  stream: AsyncIterable<ModelChunk>,
  signal: AbortSignal,
): Promise<Answer> {
  let text = '';
  let reasoning = '';
  let calls: ToolCall[] = [];
  for await (const chunk of stream) {
    signal.throwIfAborted();
    if (chunk.type === 'text') text += text.length < MOST_CHARS ? chunk.text : '';
    else if (chunk.type === 'reasoning')
      reasoning += reasoning.length < MOST_CHARS ? chunk.text : '';
    else if (chunk.type === 'tool_call') {
      if (calls.length < MOST_CALLS) calls.push(chunk.call);
    } else if (chunk.type === 'restart') {
      text = '';
      reasoning = '';
      calls = [];
    } else if (chunk.type === 'error') throw new AppError(chunk.code, chunk.message);
    else {
      const { model, usage } = chunk;
      const finish = text.length >= MOST_CHARS ? 'length' : chunk.finish;
      return {
        text: wellFormed(text),
        reasoning: wellFormed(reasoning),
        calls,
        finish,
        model,
        usage,
      };
    }
  }
  signal.throwIfAborted();
  throw new AppError('model_error', 'the answer of the model broke off before its end');
}
