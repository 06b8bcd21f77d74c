// Which role servers exist, and who runs in them. Acts on the decisions of policy.ts: starts lazily, evicts,
// stops what is idle, parks what keeps failing. Never waits for a process inside claim().
import { AppError } from '../domain/errors.ts';
import type {
  Claim,
  Log,
  RoleServer,
  ServerExit,
  ServerInfo,
  Supervisor,
} from '../domain/ports.ts';
import type { Role } from '../domain/role.ts';
import type { BudgetRules } from '../resilience/restart-budget.ts';
import { createBudgets } from './budgets.ts';
import { createClaim } from './claim.ts';
import { choosePlace, chooseStart, countsNow, hasRoom, type RoleNeed, victim } from './policy.ts';
import { createRoster, type RosterDeps, type RosterLimits } from './roster.ts';
import { infoOf, type Seat, viewOf } from './seats.ts';
import type { Gone } from './server.ts';

export type SupervisorDeps = Omit<RosterDeps, 'onStable' | 'onGone' | 'onChange' | 'limits'> & {
  limits: RosterLimits & {
    /** Most role server processes: starting, ready or draining. */
    max_servers: number;
  };
  budget: BudgetRules;
  /** Called once, when all role servers have gone. */
  closeLaunchers: () => Promise<void>;
  random: () => number;
  log: Log;
};
/** `heard`: something came from this role server, so it is not hung. */
export type RoleSupervisor = Supervisor & { heard(server_id: string): void };
type GoneListener = (server: RoleServer, exit: ServerExit, own_fault: boolean) => void;

/** After drain and kill everything is gone, unless the kernel holds a process: shutdown does not wait for that. */
const REAP_MS = 3_000;

export function createSupervisor(deps: SupervisorDeps): RoleSupervisor {
  const { clock, limits, emit } = deps;
  const changeListeners: (() => void)[] = [];
  const goneListeners: GoneListener[] = [];
  let closing: Promise<void> | null = null;
  let announced = false;

  /** Tells those who wait, once per turn of the event loop, outside of whatever is going on now. */
  function changed(): void {
    if (announced || closing) return;
    announced = true;
    queueMicrotask(() => {
      announced = false;
      for (const listener of changeListeners) listener();
    });
  }
  function onGone(seat: Seat, gone: Gone): void {
    if (gone.quick && !closing) budgets.quickExit(seat.role.name, gone.exit.reason, gone.text);
    if (gone.server === null || seat.active + seat.lent === 0) return;
    for (const listener of goneListeners) listener(gone.server, gone.exit, gone.own_fault);
  }
  const budgets = createBudgets({
    rules: deps.budget,
    clock,
    random: deps.random,
    emit,
    onDue: changed,
  });
  const roster = createRoster({ ...deps, onStable: budgets.forget, onGone, onChange: changed });
  const evict = (server_id: string | undefined | null): void =>
    void (server_id && roster.get(server_id)?.life.stop('evicted'));

  /** A server whose runs all waited becomes a process that counts: is there room, or can room be made? */
  function mayCount(seat: Seat): boolean {
    const all = roster.views();
    if (countsNow(viewOf(seat)) || !seat.counts || hasRoom(all, limits.max_servers)) return true;
    evict(victim(all)?.id); // the caller asks again on that change
    return false;
  }
  const place = (seat: Seat): Claim => createClaim(seat, { onMove: roster.moved, mayCount });

  function claim(name: string): Claim | { wait: 'slot' | 'role' } {
    const role = deps.roles().get(name);
    if (!role) return refused(name, new AppError('unknown_role', `unknown role "${name}"`));
    // Shutdown: whoever asks now waits, and is resumed by the next main.
    if (closing) return { wait: 'slot' };
    const choice = choosePlace(roster.views(), needOf(role), limits.max_servers);
    if (choice.kind === 'wait') {
      evict(choice.evict);
      return { wait: choice.why };
    }
    if (choice.kind === 'use') {
      const seat = roster.get(choice.id) as Seat;
      if (seat.life.state() === 'ready') sayReused(seat);
      return place(seat);
    }
    const verdict = budgets.verdict(name);
    if (verdict.may) return place(roster.open(role, choice));
    return verdict.why === 'parked'
      ? refused(name, parkedError(name, budgets.lastWords(name)))
      : { wait: 'role' };
  }
  function sayReused({ role, life }: Seat): void {
    const { pid, port } = life.facts();
    const data = { server_id: life.server_id, instance: life.instance, pid, port };
    const detail = `${role.name} role server reused`;
    emit({ kind: 'server', state: 'reused', role: role.name, detail, data });
  }

  function roleNamed(name: string): Role {
    const role = deps.roles().get(name);
    if (role) return role;
    const known = [...deps.roles().keys()].join(', ');
    throw new AppError('unknown_role', `unknown role "${name}"; known roles: ${known}`);
  }
  async function start(name: string): Promise<ServerInfo> {
    const role = roleNamed(name);
    if (closing) throw new AppError('shutting_down', 'the server is shutting down');
    budgets.forget(name);
    const living = roster
      .of(name)
      .find(({ life }) => life.state() === 'starting' || life.state() === 'ready');
    const seat = living ?? openNow(role);
    await seat.life.ready;
    return infoOf(seat);
  }
  function openNow(role: Role): Seat {
    const choice = chooseStart(roster.views(), needOf(role), limits.max_servers);
    if (choice.kind === 'start') return roster.open(role, choice);
    throw new AppError(
      'capacity',
      `no room for a ${role.name} role server: all ${limits.max_servers} processes are in use`,
    );
  }
  async function stop(name: string): Promise<ServerInfo[]> {
    roleNamed(name);
    const own = roster.of(name);
    for (const seat of own) seat.life.stop('stopped');
    const ended = async (seat: Seat): Promise<ServerInfo> => {
      const { exit } = await seat.life.gone;
      return { ...infoOf(seat), pid: null, last_exit: exit };
    };
    return Promise.all(own.map(ended));
  }
  async function close(): Promise<void> {
    const all = roster.all();
    for (const seat of all) seat.life.stop('shutdown');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), deps.rules.drain_ms + REAP_MS);
    });
    const how = await Promise.race([Promise.all(all.map((seat) => seat.life.gone)), late]);
    clearTimeout(timer);
    if (how === 'late') deps.log.error({}, 'a role server could not be ended');
    budgets.close();
    await deps.closeLaunchers();
  }

  return {
    claim,
    start,
    stop,
    async restart(name) {
      await stop(name);
      return start(name);
    },
    onChange: (listener) => void changeListeners.push(listener),
    onGone: (listener) => void goneListeners.push(listener),
    heard: (server_id) => roster.get(server_id)?.life.heard(),
    list: () => [
      ...roster.all().map(infoOf),
      ...roster
        .crashed()
        .map((info) => (budgets.parked(info.role) ? { ...info, state: 'parked' as const } : info)),
    ],
    async kill(server, reason) {
      const life = roster.get(server.server_id)?.life;
      life?.kill(reason);
      await life?.gone;
    },
    log: async (name, lines) => deps.launcherFor(roleNamed(name)).log(name, lines),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

const needOf = (role: Role): RoleNeed => ({
  name: role.name,
  instances: Math.max(1, role.instances),
  places: role.max_concurrent_runs,
  counts: role.url === null,
});

const parkedError = (role: string, last: string): AppError =>
  new AppError(
    'role_parked',
    `the ${role} role is parked, it failed too often; the last time: ${last}`,
  );

/** A claim that fails at once: it holds nothing. */
function refused(role: string, error: AppError): Claim {
  const ready = Promise.reject(error);
  ready.catch(() => {});
  return { role, ready, now: () => null, lend() {}, resume: () => false, release() {} };
}
