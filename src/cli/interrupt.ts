// What Ctrl-C means while a query is followed: once asks to cancel it, twice leaves without waiting.
// Must never cancel silently in a terminal: there a person is asked first.
import type { CliDeps } from './cli.ts';
import type { Terminal } from './terminal.ts';

export type Interrupt = {
  /** Aborted when the person wants to leave now. */
  leave: AbortSignal;
  /** The same as Ctrl-C, which was a key of a prompt this time. */
  raise(): void;
  /** A cancel has been asked for by Ctrl-C. */
  cancelled(): boolean;
  close(): void;
};

export function watchInterrupts({
  term,
  onInterrupt,
  cancel,
}: {
  term: Terminal;
  onInterrupt: CliDeps['onInterrupt'];
  cancel(): Promise<void>;
}): Interrupt {
  const leave = new AbortController();
  let busy = false;
  let cancelled = false;

  async function first(): Promise<void> {
    if (term.interactive) {
      const reply = await term.confirm('\ncancel the query? [y/N] ', leave.signal);
      if (reply === 'interrupt') leave.abort();
      if (leave.signal.aborted) return;
      if (reply === 'no') {
        term.note({ tone: 'dim', text: 'it goes on (Ctrl-C asks again)' });
        busy = false;
        return;
      }
    }
    cancelled = true;
    term.note({ tone: 'warn', text: 'cancelling… (Ctrl-C again leaves at once)' });
    await cancel();
  }
  const raise = (): void => {
    if (busy) {
      leave.abort();
      return;
    }
    busy = true;
    first().catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      term.note({ tone: 'bad', text: `could not cancel: ${why}` });
    });
  };
  const off = onInterrupt(raise);
  return { leave: leave.signal, raise, cancelled: () => cancelled, close: off };
}
