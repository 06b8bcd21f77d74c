// The keys of one provider: leased in turn; a rate-limited one rests, a refused one rests until the next start.
// No key ever leaves this room but in the request that it pays for.
import { retryAfterMs } from '../resilience/retry.ts';
import { type KeyRow, ProviderFailure } from './provider.ts';

export type KeyPool = {
  size: number;
  row(): KeyRow;
  /** One call with a leased key (null: there are none). A failure that is the key's makes it rest. */
  using<T>(name: string, call: (key: string | null) => AsyncIterable<T>): AsyncGenerator<T>;
};

/** A rate limit that names no time. */
const REST_MS = 30_000;

export function createKeyPool(
  given: readonly string[],
  now: () => number = () => performance.now(),
): KeyPool {
  const keys = [...new Set(given)];
  /** Until when (monotonic ms) a key rests; Infinity: it was refused. */
  const rests = new Map<string, number>();
  let turn = 0;

  const isFree = (key: string): boolean => (rests.get(key) ?? 0) <= now();
  const ends = (): number[] => keys.map((key) => rests.get(key) ?? 0);

  function lease(): string | null {
    for (let i = 0; i < keys.length; i++) {
      const key = keys[(turn + i) % keys.length] as string;
      if (!isFree(key)) continue;
      turn = (turn + i + 1) % keys.length;
      return key;
    }
    return null;
  }

  /** Nobody can be asked: after the shortest rest, or not at all when every key was refused. */
  function noneFree(name: string): ProviderFailure {
    const next = Math.min(...ends());
    if (next === Number.POSITIVE_INFINITY)
      return new ProviderFailure('answer', `all ${keys.length} keys of ${name} were refused`, {
        status: 401,
      });
    const seconds = Math.max(1, Math.ceil((next - now()) / 1000));
    const text = `all ${keys.length} keys of ${name} rest; the next is free in ${seconds} s`;
    return new ProviderFailure('answer', text, { status: 429, retry_after: String(seconds) });
  }

  /** A single key never rests here: the pause of its provider and the breaker of its model are enough. */
  function judge(key: string, error: unknown): unknown {
    if (!(error instanceof ProviderFailure) || keys.length < 2) return error;
    const { status, kind, message, retry_after } = error;
    if (status === 401) rests.set(key, Number.POSITIVE_INFINITY);
    else if (status === 429)
      rests.set(key, now() + (retryAfterMs(retry_after, new Date()) ?? REST_MS));
    else return error;
    return new ProviderFailure(kind, message, {
      status,
      retry_after,
      other_key: keys.some(isFree),
    });
  }

  return {
    size: keys.length,
    row: () => ({
      keys: keys.length,
      resting: ends().filter((end) => end !== Number.POSITIVE_INFINITY && end > now()).length,
      refused: ends().filter((end) => end === Number.POSITIVE_INFINITY).length,
    }),
    async *using(name, call) {
      const key = lease();
      if (key === null && keys.length > 0) throw noneFree(name);
      try {
        yield* call(key);
      } catch (error) {
        throw key === null ? error : judge(key, error);
      }
    },
  };
}
