// Subagents whose runs are gone while a person still has to answer them: they need no slot and no process before that.
import type { Waiter } from './slots.ts';

export type ParkedDeps = {
  /** Resolves when a person has answered what the agent asked before it was lost; null: it does not wait. */
  untilAnswered(waiter: Waiter): Promise<void> | null;
  /** What an agent of this query waits for has changed. */
  waits(query_id: string): void;
};

export function createParked({ untilAnswered, waits }: ParkedDeps) {
  const parked = new Map<string, Waiter>();
  return {
    /** False when it waits for nobody. `then`: it has its answer, and was not taken away meanwhile. */
    park(waiter: Waiter, then: (waiter: Waiter) => void): boolean {
      const answered = untilAnswered(waiter);
      if (!answered) return false;
      parked.set(waiter.agent_id, waiter);
      waits(waiter.query_id);
      void answered.then(() => {
        if (parked.get(waiter.agent_id) !== waiter) return;
        parked.delete(waiter.agent_id);
        then({ ...waiter, returning: true });
      });
      return true;
    },
    has: (agent_id: string): boolean => parked.has(agent_id),
    remove: (agent_id: string): boolean => parked.delete(agent_id),
  };
}
