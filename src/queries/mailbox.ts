// Messages of the user that arrive while a turn works: kept in the turn's row, taken before its model steps, and
// never lost: what a turn has not taken when it ends begins the next one.
import type { Steering } from '../agent/steer-queue.ts';
import type { Tx } from '../domain/ports.ts';
import type { LoopRun } from '../domain/query.ts';
import { patchLoop } from './loop-run.ts';

export type Mailbox = {
  /** What the row held when the turn began or was resumed; before what has come since. */
  restore(loop: LoopRun): void;
  put(text: string): void;
  /** How many of the row's messages the turn has taken. */
  taken(): number;
  steering: Steering;
};

export function createMailbox(): Mailbox {
  const waiting: string[] = [];
  let taken = 0;
  let open = true;
  return {
    restore(loop) {
      taken = takenOf(loop);
      waiting.unshift(...inboxOf(loop).slice(taken));
    },
    put: (text) => void waiting.push(text),
    taken: () => taken,
    steering: {
      take() {
        // Too late for an answer in this turn: the next one gives it.
        if (!open) return [];
        taken += waiting.length;
        return waiting.splice(0);
      },
      close: () => waiting.length === 0,
      end() {
        open = false;
      },
    },
  };
}

const inboxOf = ({ metadata }: LoopRun): string[] => (metadata.inbox as string[] | undefined) ?? [];
const takenOf = ({ metadata }: LoopRun): number => (metadata.taken as number | undefined) ?? 0;

/** The message is in the row of the turn that is at work. */
export const keepForTurn = (t: Tx, loop: LoopRun, text: string): Promise<void> =>
  patchLoop(t, loop, { metadata: { inbox: [...inboxOf(loop), text] } });

/** Messages of the row that the turn has not taken. */
export const notTaken = (loop: LoopRun, taken: number): string[] => inboxOf(loop).slice(taken);
