// One try of one model call under its deadlines: ends the moment the caller cancels or a deadline passes,
// even when the provider does not react. Never retries.
import type { ModelChunk } from '../domain/message.ts';
import { type Provider, type ProviderAsk, ProviderFailure } from './provider.ts';

/** Milliseconds; 0 = none. `first_token` bounds the silence before the first token and between two. */
export type Deadlines = { first_token_ms: number; total_ms: number };

/** Node fires timers beyond this at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/** Throws ProviderFailure, or the signal's reason when the caller cancelled. */
export async function* attempt(
  provider: Provider,
  ask: ProviderAsk,
  signal: AbortSignal,
  deadlines: Deadlines,
): AsyncGenerator<ModelChunk> {
  const stop = new AbortController();
  let broken: ((why: unknown) => void) | null = null;
  const end = (why: unknown) => {
    if (stop.signal.aborted) return;
    stop.abort(why);
    broken?.(why);
  };
  const cancelled = () => end(signal.reason);
  const after = (ms: number, kind: 'timeout' | 'total', what: string) =>
    ms === 0
      ? null
      : setTimeout(
          () => end(new ProviderFailure(kind, `${ask.spec} ${what} ${seconds(ms)}`)),
          Math.min(ms, LONGEST_TIMER_MS),
        );
  const silence = after(deadlines.first_token_ms, 'timeout', 'sent nothing for');
  const total = after(deadlines.total_ms, 'total', 'did not finish within');
  if (signal.aborted) cancelled();
  else signal.addEventListener('abort', cancelled, { once: true });
  const source = provider.stream(ask, stop.signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await new Promise<IteratorResult<ModelChunk>>((resolve, reject) => {
        if (stop.signal.aborted) return reject(stop.signal.reason);
        broken = reject;
        source.next().then(resolve, reject);
      });
      if (step.done) return;
      silence?.refresh();
      yield step.value;
    }
  } finally {
    if (silence) clearTimeout(silence);
    if (total) clearTimeout(total);
    signal.removeEventListener('abort', cancelled);
    broken = null;
    // Ends the request upstream when it is still open; nobody waits for it.
    stop.abort(new Error('the call has ended'));
    source.return?.(undefined)?.then(undefined, () => {});
  }
}
