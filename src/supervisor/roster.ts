// The living role servers and their seats: opens one, keeps its numbers and its idle time, takes it off the list
// when it has gone. Decides nothing about who gets a place.
import type { NewEvent } from '../domain/event.ts';
import type { Clock, ServerInfo } from '../domain/ports.ts';
import type { Role } from '../domain/role.ts';
import type { Launcher } from '../launch/launcher.ts';
import type { Choice, SeatView } from './policy.ts';
import { infoOf, type Seat, viewOf } from './seats.ts';
import { createServer, type Gone, type ServerRules } from './server.ts';
import { createTurns } from './turns.ts';

export type RosterLimits = {
  /** Most starts at once: the number of cores. */
  starts_at_once: number;
  /** 0: keep. */
  idle_ttl_ms: number;
  /** 0: any port. Else role number n is asked to use base_port + n. */
  base_port: number;
};
export type RosterDeps = {
  /** Roles by name, in order: the place in it is the index for `base_port`. */
  roles: () => ReadonlyMap<string, Role>;
  launcherFor: (role: Role) => Launcher;
  limits: RosterLimits;
  rules: ServerRules;
  emit: (event: NewEvent) => void;
  clock: Clock;
  /** It has been ready for so long that it counts as stable. */
  onStable: (role: string) => void;
  /** It is off the list; `seat` still has the numbers of its runs. */
  onGone: (seat: Seat, gone: Gone) => void;
  /** Somebody may have a place now. */
  onChange: () => void;
};
export type Roster = {
  views(): SeatView[];
  get(server_id: string): Seat | undefined;
  of(role: string): Seat[];
  all(): Seat[];
  open(role: Role, choice: Choice & { kind: 'start' }): Seat;
  /** The numbers of a seat have changed. */
  moved(seat: Seat): void;
  /** What crashed last and has not been started again. */
  crashed(): ServerInfo[];
};

const MAX_TIMER_MS = 2_147_483_647;

export function createRoster(deps: RosterDeps): Roster {
  const { clock, limits, rules } = deps;
  const seats = new Map<string, Seat>();
  const crashes = new Map<string, ServerInfo>();
  const starts = new Map<string, number>();
  const turns = createTurns(limits.starts_at_once);

  function portFor(role: Role, instance: number): number {
    if (instance > 0) return 0;
    if (role.port > 0 || limits.base_port === 0) return role.port;
    return limits.base_port + [...deps.roles().keys()].indexOf(role.name);
  }
  function moved(seat: Seat): void {
    seat.last_activity = clock.now();
    clearTimeout(seat.idle_timer);
    const idle = seat.active + seat.lent === 0;
    seat.idle_since = idle ? clock.mono() : null;
    if (idle && limits.idle_ttl_ms > 0 && seat.life.state() === 'ready') {
      const ttl = Math.min(limits.idle_ttl_ms, MAX_TIMER_MS);
      seat.idle_timer = setTimeout(() => seat.life.stop('idle'), ttl).unref();
    }
    deps.onChange();
  }
  function onReady(seat: Seat): void {
    moved(seat);
    const stable = setTimeout(() => deps.onStable(seat.role.name), rules.stable_ms).unref();
    void seat.life.gone.then(() => clearTimeout(stable));
  }
  function onGone(seat: Seat, key: string, gone: Gone): void {
    seats.delete(seat.life.server_id);
    clearTimeout(seat.idle_timer);
    if (seat.life.state() === 'crashed')
      crashes.set(key, { ...infoOf(seat), pid: null, last_exit: gone.exit });
    deps.onGone(seat, gone);
    deps.onChange();
  }

  return {
    views: () => [...seats.values()].map(viewOf),
    get: (server_id) => seats.get(server_id),
    of: (role) => [...seats.values()].filter((seat) => seat.role.name === role),
    all: () => [...seats.values()],
    crashed: () => [...crashes.values()],
    moved,
    open(role, { instance, after, takes, evict }) {
      const heir_of = takes === null ? undefined : seats.get(takes);
      if (heir_of) heir_of.handed = true;
      if (evict) heir_of?.life.stop('evicted');
      const gone = after.map((server_id) => seats.get(server_id)?.life.gone);
      const key = `${role.name}#${instance}`;
      const restarts = starts.get(key) ?? 0;
      starts.set(key, restarts + 1);
      crashes.delete(key);
      const port = portFor(role, instance);
      const life = createServer(
        {
          ...deps,
          launcher: deps.launcherFor(role),
          turns,
          onGone: (gone) => onGone(seat, key, gone),
        },
        { role, instance, port, after: gone.length === 0 ? null : Promise.all(gone) },
      );
      const seat: Seat = {
        life,
        role,
        restarts,
        counts: role.url === null,
        active: 0,
        lent: 0,
        idle_since: null,
        handed: false,
        server: null,
        last_activity: null,
        idle_timer: undefined,
      };
      seats.set(life.server_id, seat);
      life.ready.then(
        (server) => {
          seat.server = server;
          onReady(seat);
        },
        () => {},
      );
      return seat;
    },
  };
}
