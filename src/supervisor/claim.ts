// The place of one run in a role server: taken when it is made, lent while the run waits, released exactly once.
import type { Claim } from '../domain/ports.ts';
import type { Seat } from './seats.ts';

export type ClaimDeps = {
  /** The seat's numbers have changed. */
  onMove: (seat: Seat) => void;
  /** May a server that did not count, count again? */
  mayCount: (seat: Seat) => boolean;
};

export function createClaim(seat: Seat, { onMove, mayCount }: ClaimDeps): Claim {
  let at: 'active' | 'lent' | 'released' = 'active';
  seat.active += 1;
  onMove(seat);
  const move = (to: typeof at): void => {
    if (at === 'active') seat.active -= 1;
    if (at === 'lent') seat.lent -= 1;
    if (to === 'active') seat.active += 1;
    if (to === 'lent') seat.lent += 1;
    at = to;
    onMove(seat);
  };
  return {
    role: seat.role.name,
    ready: seat.life.ready,
    now: () => (seat.life.state() === 'ready' ? seat.server : null),
    lend() {
      if (at === 'active') move('lent');
    },
    resume() {
      if (at === 'active') return true;
      if (at === 'released') return false;
      const state = seat.life.state();
      if (state !== 'ready' && state !== 'draining') return false;
      if (seat.active >= seat.role.max_concurrent_runs || !mayCount(seat)) return false;
      move('active');
      return true;
    },
    release() {
      if (at !== 'released') move('released');
    },
  };
}
