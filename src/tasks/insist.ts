// Writes what must not stay unwritten: work was stopped already, and its row has to say so. Storage that is full or
// busy is asked again until it takes the unit; the caller hears of the first refusal.
import { AppError } from '../domain/errors.ts';
import type { Log, Store, Tx } from '../domain/ports.ts';

/** A disk gets room when somebody makes it: asking once a second costs nothing. */
const AGAIN_MS = 1_000;

export const storageRefuses = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'storage_full' || error.code === 'storage_busy');

export type Insist = <T>(work: (t: Tx) => Promise<T>, then: (value: T) => void) => Promise<T>;

/** `then` follows the durable unit, whenever that is; not after `closed`: the next start finds the rows. */
export function createInsist(deps: { store: Store; log: Log; closed: () => boolean }): Insist {
  const { store, log, closed } = deps;
  async function again<T>(work: (t: Tx) => Promise<T>, then: (value: T) => void): Promise<void> {
    while (!closed()) {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      if (closed()) return;
      try {
        return then(await store.tx(work));
      } catch (error) {
        if (!storageRefuses(error)) return log.error({ err: error }, 'an end was not recorded');
      }
    }
  }
  return async function insist(work, then) {
    try {
      const value = await store.tx(work);
      then(value);
      return value;
    } catch (error) {
      if (storageRefuses(error)) void again(work, then);
      throw error;
    }
  };
}
