// The event log: what the store has committed, handed on in order to whoever listens in this process.
// It never decides what is an event and never waits for a listener.
import type { TroupeEvent } from '../domain/event.ts';
import type { Log, Store } from '../domain/ports.ts';

export type EventListener = (events: readonly TroupeEvent[]) => void;
export type EventLog = {
  /** Gets the events of each commit, in order, from now on. Answers with what ends it. */
  listen(listener: EventListener): () => void;
};

export function createEventLog(deps: { store: Pick<Store, 'onCommit'>; log: Log }): EventLog {
  const listeners = new Set<EventListener>();
  deps.store.onCommit((events) => {
    for (const listener of listeners) {
      try {
        listener(events);
      } catch (error) {
        deps.log.error({ err: error, from: events[0]?.seq }, 'a listener to the event log failed');
      }
    }
  });
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
