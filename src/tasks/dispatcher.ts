// Gives slots and places to waiting subagents and starts their runs. It acts; slots and supervisor decide.
// Everything it takes for a run it gives back in `settle`, once.
import { type Failure, toFailure } from '../domain/errors.ts';
import type {
  Claim,
  Clock,
  Log,
  RoleServer,
  ServerExit,
  Store,
  Supervisor,
  Tx,
} from '../domain/ports.ts';
import type { Envelope } from '../domain/run.ts';
import type { Subagent, Waiting } from '../domain/subagent.ts';
import type { AlternateOf } from './alternate.ts';
import { afterCrash, afterFailedStart, assigned } from './attempt.ts';
import type { Insist } from './insist.ts';
import type { Concluded } from './lifecycle.ts';
import { type Live, type LiveRun, newRun } from './live.ts';
import { createParked, type ParkedDeps } from './parked.ts';
import { createRetries } from './retries.ts';
import { returningOf, type Slots, type Waiter } from './slots.ts';
import { GOING_MS, meaningOf } from './start-failure.ts';
import type { Stopping } from './stopping.ts';

export type DispatcherDeps = ParkedDeps & {
  store: Store;
  slots: Slots;
  live: Live;
  supervisor: Supervisor;
  insist: Insist;
  clock: Clock;
  log: Log;
  /** Moves the subagent to running and answers what starts the run; null when it is no longer wanted. */
  prepare(t: Tx, run: LiveRun, agent: Subagent, server: RoleServer): Promise<Envelope | null>;
  /** Tells the run what is remembered for its task and, when it is resumed, what is known of its lost calls. */
  inform(run: LiveRun, resumed: boolean): Promise<void>;
  alternateOf: AlternateOf;
  /** Tasks that are being cancelled: whoever cancels them writes their end. */
  stopping: Stopping;
  /** Called after an outcome that the dispatcher wrote itself. */
  ended(run: { agent_id: string; task_id: string; query_id: string }): void;
};

export function createDispatcher(deps: DispatcherDeps) {
  const { store, slots, live, supervisor, clock, log } = deps;
  const waiters = new Map<string, Waiter>();
  const parked = createParked(deps);
  const returning = new Map<string, { run: LiveRun; wakes: (() => void)[] }>();
  const retries = createRetries();
  let scheduled = false;
  let held = true; // until `open`: what a restart found is queued first, in order
  let closed = false;

  const pump = (): void => {
    if (scheduled || held || closed) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      if (closed) return;
      // A parent that comes back needs a slot before any new task may have it.
      if (!wakeReturning()) return;
      grantNext();
    });
  };

  function wakeReturning(): boolean {
    for (const [agent_id, { run, wakes }] of returning) {
      if (!slots.retake(agent_id)) return false;
      if (!run.claim.resume()) {
        slots.lend(agent_id);
        run.waiting = 'role';
        continue;
      }
      returning.delete(agent_id);
      run.waiting = null;
      deps.waits(run.query_id);
      for (const wake of wakes) wake();
    }
    return true;
  }

  function grantNext(): void {
    const full = new Set<string>();
    for (;;) {
      const waiter = slots.next(full);
      if (!waiter) return;
      const claim = supervisor.claim(waiter.role);
      if ('wait' in claim) {
        full.add(waiter.role);
        continue;
      }
      slots.grant(waiter.agent_id);
      waiters.delete(waiter.agent_id);
      const run = newRun(waiter, claim, clock.mono());
      // From here on whoever stops the agent finds the run, and nobody grants a second one.
      live.add(run);
      void begin(waiter, run);
    }
  }

  async function begin(waiter: Waiter, run: LiveRun): Promise<void> {
    try {
      await deps.inform(run, waiter.returning);
      if (dropped(run)) return;
      const now = run.claim.now();
      const envelope = await assign(run, now);
      if (dropped(run)) return;
      if (!envelope) return settle(run);
      if (envelope !== 'later') return await send(run, envelope);
      const server = await run.claim.ready;
      if (dropped(run)) return;
      const late = await assign(run, server);
      if (dropped(run)) return;
      if (!late || late === 'later') return settle(run);
      await send(run, late);
    } catch (error) {
      await startFailed(waiter, run, error);
    }
  }

  /** Settled already, or about to be by whoever stops it. */
  const dropped = (run: LiveRun): boolean => run.over || run.stopping !== null;

  /**
   * Slot and place are granted: created → assigned (a resumed subagent is assigned already), and on to running in
   * the same unit of work when its role server is ready. Null when it is no longer wanted.
   */
  function assign(run: LiveRun, server: RoleServer | null): Promise<Envelope | 'later' | null> {
    // Known before the unit: a role server that dies meanwhile takes the run along.
    run.server = server;
    return store.soon(async (t) => {
      if (dropped(run)) return null;
      const agent = await assigned(t, run.agent_id);
      if (!agent || deps.stopping.has(agent.task_id)) return null;
      run.task_id = agent.task_id;
      run.run_id = agent.run_id;
      return server ? deps.prepare(t, run, agent, server) : 'later';
    });
  }

  async function send(run: LiveRun, envelope: Envelope): Promise<void> {
    run.last_progress = clock.mono();
    await run.server?.client.start(envelope);
  }

  async function startFailed(waiter: Waiter, run: LiveRun, error: unknown): Promise<void> {
    if (dropped(run)) return;
    const failure = toFailure(error);
    const meaning = meaningOf(error, run.server);
    // The role server is going: `gone` takes the run along.
    if (meaning === 'leaving') return;
    if (meaning === 'unreached') await untilGone(run);
    if (dropped(run) || closed) return;
    settle(run);
    const again = ['start_exited', 'server_unreachable'].includes(failure.code);
    // The start was called off (somebody stopped the role): it costs nothing and begins anew.
    if (['cancelled', 'shutting_down'].includes(failure.code)) return later(waiter, 200);
    await giveUpOrRetry(waiter, failure, again);
  }

  /** Resolves when the run has been taken along, or its server is still there when every probe would have missed it. */
  async function untilGone(run: LiveRun): Promise<void> {
    const since = clock.mono();
    while (!dropped(run) && !closed && clock.mono() - since < GOING_MS)
      await new Promise((resolve) => setTimeout(resolve, 100));
  }

  /** A quick exit is tried again while the task's budget lasts; any other failed start ends the attempt. */
  async function giveUpOrRetry(waiter: Waiter, failure: Failure, retry: boolean): Promise<void> {
    if (closed) return;
    if (['storage_full', 'storage_busy'].includes(failure.code)) return later(waiter, 1_000);
    const verdict = await store
      .tx((t) => afterFailedStart(t, waiter.agent_id, failure, retry, deps.alternateOf))
      .catch((err: unknown) => {
        log.error({ err, agent_id: waiter.agent_id }, 'failed start not recorded; trying again');
        return 'again' as const;
      });
    if (verdict === 'again') later(waiter, 200);
    else if (verdict !== 'late') {
      const agent = await store.reads.subagents.get(waiter.agent_id);
      if (agent) deps.ended(agent);
    }
  }

  const later = (waiter: Waiter, ms: number): void =>
    retries.after(ms, () => enqueue({ ...waiter, returning: true }));

  function release(agent_id: string, claim: Claim): void {
    slots.release(agent_id);
    claim.release();
    pump();
  }

  /** Gives back the slot and the place of a run and fences its token. The only place that does. */
  function settle(run: LiveRun): void {
    if (run.over) return;
    live.remove(run);
    for (const wake of returning.get(run.agent_id)?.wakes ?? []) wake();
    returning.delete(run.agent_id);
    release(run.agent_id, run.claim);
    deps.waits(run.query_id);
  }

  /** An agent waits once and works once: who is at work already is not queued beside itself. */
  function enqueue(waiter: Waiter): void {
    if (closed || live.get(waiter.agent_id)) return;
    if (parked.park(waiter, enqueue)) return;
    waiters.set(waiter.agent_id, waiter);
    slots.enqueue(waiter);
    deps.waits(waiter.query_id);
    pump();
  }

  /** A role server died with runs in it: they go on in another one, as long as their budget lasts. */
  async function gone(server: RoleServer, exit: ServerExit, own_fault: boolean): Promise<void> {
    const runs = live.inServer(server.server_id).filter((run) => !run.stopping);
    const cost = own_fault ? 1 : 0;
    await Promise.all(
      runs.map(async (run) => {
        const ancestors = returningOf(run);
        settle(run);
        const text = `role server ${run.role} #${server.instance} ended: ${exit.reason}`;
        const after = (how: 'again' | Concluded): void => {
          if (how === 'again') enqueue({ ...ancestors, returning: true });
          else if (how !== 'late') deps.ended(run);
        };
        await deps
          .insist((t) => afterCrash(t, run.agent_id, cost, text, exit, deps.alternateOf), after)
          .catch((err: unknown) => log.error({ err, text }, 'crash of a role server not recorded'));
      }),
    );
  }

  supervisor.onChange(pump);
  supervisor.onGone((server, exit, own_fault) => void gone(server, exit, own_fault));

  return {
    enqueue,
    settle,
    pump,
    /** Takes a waiting subagent out of the queue; false when it does not wait. */
    withdraw(agent_id: string): boolean {
      const waited = parked.remove(agent_id);
      waiters.delete(agent_id);
      return slots.remove(agent_id) || waited;
    },
    /**
     * The run waits for children or a person: its slot and its place serve others meanwhile. `who`: the call that
     * waits; calls that wait beside each other lend once.
     */
    lend(agent_id: string, why: 'child' | 'human', who: unknown): void {
      const run = live.get(agent_id);
      if (!run) return;
      run.waits.add(who);
      if (!slots.lend(agent_id)) return;
      run.claim.lend();
      run.waiting = why;
      deps.waits(run.query_id);
      pump();
    },
    /**
     * Resolves when the run holds its slot and its place again, or has been settled meanwhile; at once while another
     * call of it waits on.
     */
    retake(agent_id: string, who: unknown): Promise<void> {
      const run = live.get(agent_id);
      run?.waits.delete(who);
      if (!run || run.waiting === null || run.waits.size > 0) return Promise.resolve();
      return new Promise((resolve) => {
        run.waiting = 'slot';
        deps.waits(run.query_id);
        const known = returning.get(agent_id);
        if (known) known.wakes.push(resolve);
        else returning.set(agent_id, { run, wakes: [resolve] });
        pump();
      });
    },
    waitingOf(agent_id: string): Waiting {
      const run = live.get(agent_id);
      if (run) return run.server ? run.waiting : null;
      if (parked.has(agent_id)) return 'human';
      if (!waiters.has(agent_id)) return null;
      return slots.full() ? 'slot' : 'role';
    },
    holdsSlot: (agent_id: string): boolean => slots.holds(agent_id),
    open(): void {
      held = false;
      pump();
    },
    close(): void {
      closed = true;
      retries.close();
    },
  };
}
export type Dispatcher = ReturnType<typeof createDispatcher>;
