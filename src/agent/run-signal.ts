// Why a run has to stop: it was cancelled, or its time is up. One signal for everything that it does.
import { setMaxListeners } from 'node:events';
import { AppError } from '../domain/errors.ts';

export type RunSignal = {
  signal: AbortSignal;
  /** null while the run may go on. */
  why(): 'cancelled' | 'timeout' | null;
  /** The time that passes in `work` does not count: the run waits for a person. */
  untimed<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
};

const MOST_MS = 2 ** 31 - 1;

/** `timeout_s`: for the whole run; 0 = none. `outer`: aborted to cancel. Call close at the end. */
export function createRunSignal(outer: AbortSignal, timeout_s: number): RunSignal {
  const control = new AbortController();
  // Tools that run beside each other all listen; that is no leak.
  setMaxListeners(100, control.signal);
  let why: 'cancelled' | 'timeout' | null = null;
  const stop = (reason: 'cancelled' | 'timeout', error: AppError): void => {
    if (why) return;
    why = reason;
    control.abort(error);
  };
  const cancel = (): void => {
    const given = outer.reason;
    const text = given instanceof AppError ? given.message : 'the run was cancelled';
    stop('cancelled', new AppError('cancelled', text));
  };
  const late = (): void =>
    stop('timeout', new AppError('run_timeout', `the run took longer than its ${timeout_s} s`));
  let timer: NodeJS.Timeout | undefined;
  let left = Math.min(timeout_s * 1000, MOST_MS);
  let since = 0;
  let holds = 0;
  let closed = false;
  const run = (): void => {
    if (timeout_s <= 0 || closed) return;
    since = performance.now();
    timer = setTimeout(late, Math.max(0, left));
  };
  run();
  outer.addEventListener('abort', cancel, { once: true });
  if (outer.aborted) cancel();
  return {
    signal: control.signal,
    why: () => why,
    async untimed(work) {
      if (holds === 0) {
        clearTimeout(timer);
        left -= performance.now() - since;
      }
      holds += 1;
      try {
        return await work();
      } finally {
        holds -= 1;
        if (holds === 0) run();
      }
    },
    close() {
      closed = true;
      clearTimeout(timer);
      outer.removeEventListener('abort', cancel);
    },
  };
}
