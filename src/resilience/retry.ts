// Whether and when a failed call to the outside is tried again. Pure, but for the one abortable pause.

/** Statuses below 500 that may pass by themselves: timeout, conflict, rate limit. */
const PASSING = new Set([408, 409, 429]);

/** `status` null: the network failed. Everything else below 500 is permanent. */
export const isRetryable = (status: number | null): boolean =>
  status === null || status >= 500 || PASSING.has(status);

/** Longest pause: who must wait longer is better told so than kept waiting. */
export const LONGEST_PAUSE_MS = 60_000;
const BASE_MS = 500;
const JITTER = 0.25;

/** Retry-After as seconds or an HTTP date, in milliseconds from `now`; null when absent or garbage. */
export function retryAfterMs(header: string | null | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  // Date.parse takes almost anything for a date; an HTTP date names its month and GMT.
  if (!/[a-z]{3}.*GMT$/i.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

/**
 * Milliseconds before try number `attempt` + 1 (the first try is 1), or null when the wait that was
 * asked for is too long. At least what was asked for, plus a random extra so that callers spread out.
 */
export function pauseBefore(
  attempt: number,
  asked_ms: number | null,
  random: () => number,
): number | null {
  const least = asked_ms ?? BASE_MS * 2 ** (attempt - 1);
  if (least > LONGEST_PAUSE_MS) return null;
  return Math.round(least + random() * Math.max(JITTER * least, BASE_MS * JITTER));
}

/** Resolves true after `ms`, false at once when the signal is aborted. Leaves no timer behind. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', stop);
        resolve(true);
      },
      Math.min(ms, 2 ** 31 - 1),
    );
    signal.addEventListener('abort', stop, { once: true });
  });
}
