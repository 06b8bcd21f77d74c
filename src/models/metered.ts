// One request to a provider under the limits: sent only when its most fits, and counted when it is over.
// What its provider does not account for is estimated: a limit that was kept on paper only would be none.
import { AppError } from '../domain/errors.ts';
import type { ModelChunk } from '../domain/message.ts';
import { estimateTokens } from '../domain/token-estimate.ts';
import { type FailureKind, ProviderFailure } from './provider.ts';
import type { CallAsk, Held, Spending } from './spending.ts';

/** With nothing of an answer there, the provider has refused the request or never got it. */
const UNWORKED: ReadonlySet<FailureKind> = new Set(['answer', 'network', 'refused', 'overflow']);

async function held(spending: Spending, ask: CallAsk, signal: AbortSignal): Promise<Held> {
  try {
    return await spending.hold(ask, signal);
  } catch (error) {
    if (error instanceof AppError && error.code === 'budget_exceeded')
      throw new ProviderFailure('budget', error.message);
    if (error instanceof AppError && error.code === 'price_unknown')
      throw new ProviderFailure('no_price', error.message);
    throw error;
  }
}

/** Tokens of a piece of an answer; an empty one stands for a token of arguments that are still being written. */
function tokensOf(chunk: ModelChunk): number {
  if (chunk.type === 'text' || chunk.type === 'reasoning')
    return Math.max(1, estimateTokens(chunk.text));
  return chunk.type === 'tool_call' ? estimateTokens(chunk.call.name + chunk.call.arguments) : 0;
}

/** `request` sends it with at most so many tokens of answer. Throws a ProviderFailure when it may not be sent. */
export async function* metered(
  spending: Spending,
  ask: CallAsk,
  signal: AbortSignal,
  request: (max_output: number | null) => AsyncIterable<ModelChunk>,
): AsyncGenerator<ModelChunk> {
  const call = await held(spending, ask, signal);
  let received = 0;
  let over = false;
  let failure: unknown = null;
  try {
    for await (const chunk of request(call.max_output)) {
      received += tokensOf(chunk);
      if (chunk.type === 'end') {
        // Before it goes out: who has it reports what it has used.
        over = true;
        await call.used(chunk.usage);
      }
      yield chunk;
      if (over) return;
    }
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    if (!over) {
      const told = failure instanceof ProviderFailure ? failure : null;
      const worked = received > 0 || !(told && UNWORKED.has(told.kind));
      await call.broke({ usage: told?.usage ?? null, worked, received });
    }
  }
}
