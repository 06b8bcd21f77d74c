// Who sits where: the living role servers and the runs in them. Counts only; starts and stops nothing.
import type { RoleServer, ServerInfo } from '../domain/ports.ts';
import type { Role } from '../domain/role.ts';
import type { SeatView } from './policy.ts';
import type { ServerLife } from './server.ts';
import { usageOf } from './usage.ts';

export type Seat = {
  life: ServerLife;
  role: Role;
  /** Which start of this instance it is, from 0. */
  restarts: number;
  counts: boolean;
  active: number;
  lent: number;
  /** Monotonic ms; null while it has a run. */
  idle_since: number | null;
  handed: boolean;
  /** Once it has been ready. */
  server: RoleServer | null;
  last_activity: Date | null;
  idle_timer: NodeJS.Timeout | undefined;
};

export const viewOf = (seat: Seat): SeatView => ({
  id: seat.life.server_id,
  role: seat.role.name,
  instance: seat.life.instance,
  state: seat.life.state(),
  active: seat.active,
  lent: seat.lent,
  idle_since: seat.idle_since,
  handed: seat.handed,
  counts: seat.counts,
});

export function infoOf(seat: Seat): ServerInfo {
  const { pid, port, endpoint, started_at } = seat.life.facts();
  return {
    role: seat.role.name,
    instance: seat.life.instance,
    state: seat.life.state(),
    pid,
    port,
    endpoint,
    model: seat.role.model,
    ...usageOf(pid),
    started_at: started_at.toISOString(),
    restarts: seat.restarts,
    active_runs: seat.active,
    last_activity_at: seat.last_activity?.toISOString() ?? null,
    last_exit: null,
  };
}
