// What is tried again a little later; nothing of it is left after close.

export function createRetries() {
  const timers = new Set<NodeJS.Timeout>();
  let closed = false;
  return {
    after(ms: number, work: () => void): void {
      if (closed) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        work();
      }, ms);
      timers.add(timer);
    },
    close(): void {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
