// At most so many starts at once; the others wait in order. A waiter that gives up frees its turn.

export type Turns = {
  /** Resolves with the function that gives the turn back (once). Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>;
};

export function createTurns(at_once: number): Turns {
  let free = Math.max(1, at_once);
  const waiting: (() => void)[] = [];
  const next = (): void => {
    const waiter = waiting.shift();
    if (waiter) waiter();
    else free += 1;
  };
  const turn = (): (() => void) => {
    let held = true;
    return () => {
      if (held) next();
      held = false;
    };
  };
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return turn();
      }
      return new Promise((resolve, reject) => {
        const give = (): void => {
          signal.removeEventListener('abort', leave);
          resolve(turn());
        };
        const leave = (): void => {
          waiting.splice(waiting.indexOf(give), 1);
          reject(signal.reason);
        };
        waiting.push(give);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
