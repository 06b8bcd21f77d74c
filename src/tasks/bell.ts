// Wakes whoever waits for the end of a task. It carries no state: a waiter looks at the rows after each ring.

export type Bell = {
  ring(key: string): void;
  /** Resolves at the next ring, at the limit, or when the signal aborts; never rejects. Register before you look. */
  wait(key: string, ms: number, signal?: AbortSignal): Promise<'rung' | 'limit' | 'aborted'>;
  waiters(): number;
};

export function createBell(): Bell {
  const listeners = new Map<string, Set<() => void>>();
  return {
    ring(key) {
      for (const listener of listeners.get(key) ?? []) listener();
    },
    wait(key, ms, signal) {
      return new Promise((resolve) => {
        const end = (how: 'rung' | 'limit' | 'aborted'): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', aborted);
          const set = listeners.get(key);
          set?.delete(rung);
          if (set?.size === 0) listeners.delete(key);
          resolve(how);
        };
        const rung = (): void => end('rung');
        const aborted = (): void => end('aborted');
        // A timer above 2^31-1 ms would fire at once.
        const timer = setTimeout(() => end('limit'), Math.min(ms, 2 ** 31 - 1));
        if (signal?.aborted) return end('aborted');
        signal?.addEventListener('abort', aborted, { once: true });
        const set = listeners.get(key);
        if (set) set.add(rung);
        else listeners.set(key, new Set([rung]));
      });
    },
    waiters: () => [...listeners.values()].reduce((n, set) => n + set.size, 0),
  };
}
