// Writes what must not stay unwritten: work was stopped already, and its row has to say so. Storage that is full or
// busy is asked again until it takes the unit; the caller hears of the first refusal.
import { AppError } from '../domain/errors.ts';
import type { Log, Store, Tx } from '../domain/ports.ts';
import type { RunHost } from '../domain/run.ts';

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

export type UntilStored = <T>(work: () => Promise<T>) => Promise<T>;

/** For whoever has nothing to do before it is stored: work pauses on a full disk and goes on when there is room. */
export function createUntilStored(closed: () => boolean): UntilStored {
  return async function untilStored(work) {
    for (;;)
      try {
        return await work();
      } catch (error) {
        if (!storageRefuses(error) || closed()) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
  };
}

/** The same store for a caller that waits. */
export const patientStore = (store: Store, until: UntilStored): Store => ({
  ...store,
  tx: (work) => until(() => store.tx(work)),
});

/** The same host for a run inside main: one in a process of its own asks again by itself. */
export const patientHost = (host: RunHost, until: UntilStored): RunHost => ({
  ...host,
  step: (delta, receipts) => until(() => host.step(delta, receipts)),
  toolStarted: (start) => until(() => host.toolStarted(start)),
  tasks: (call, signal) => until(() => host.tasks(call, signal)),
  policy: (note) => until(() => host.policy(note)),
  memory: (call) => until(() => host.memory(call)),
  brain: (call) => until(() => host.brain(call)),
  ask: (call, signal) => until(() => host.ask(call, signal)),
  result: (outcome, last) => until(() => host.result(outcome, last)),
});
