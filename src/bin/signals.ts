// SIGTERM and SIGINT: the first ends in order, the second ends at once.
import type { Serving } from './serve.ts';

export function stopOnSignals(server: Pick<Serving, 'close'>): void {
  let asked = 0;
  const stop = (): void => {
    asked += 1;
    // The guard sweeps whatever an exit at once leaves behind.
    if (asked > 1) process.exit(130);
    void server.close();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A closed terminal or pipe is no reason to end, and none to crash.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}
