// SIGTERM and SIGINT: the first ends in order, the second ends at once.
import type { Serving } from './serve.ts';

/** npm, and whoever ends a whole group, sends on what has arrived already: that is one wish, not two. */
const ECHO_MS = 250;

export function stopOnSignals(server: Pick<Serving, 'close'>): void {
  let asked: number | null = null;
  const stop = (): void => {
    const now = performance.now();
    // The guard sweeps whatever an exit at once leaves behind.
    if (asked !== null && now - asked > ECHO_MS) process.exit(130);
    if (asked !== null) return;
    asked = now;
    void server.close();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A closed terminal or pipe is no reason to end, and none to crash.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}
