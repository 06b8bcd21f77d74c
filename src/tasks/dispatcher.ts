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
import { afterCrash, afterFailedStart } from './attempt.ts';
import { move } from './lifecycle.ts';
import { type Live, type LiveRun, newRun } from './live.ts';
import type { Slots, Waiter } from './slots.ts';
import { meaningOf } from './start-failure.ts';

/** A role server that cannot be reached is gone by then: exited, or killed after three missed probes of 5 s. */
const GOING_MS = 25_000;

export type DispatcherDeps = {
  store: Store;
  slots: Slots;
  live: Live;
  supervisor: Supervisor;
  clock: Clock;
  log: Log;
  /** Moves the subagent to running and answers what starts the run; null when it is no longer wanted. */
  prepare(t: Tx, run: LiveRun, agent: Subagent, server: RoleServer): Promise<Envelope | null>;
  alternateOf: AlternateOf;
  /** Called after an outcome that the dispatcher wrote itself. */
  ended(run: { agent_id: string; task_id: string; query_id: string }): void;
};

export function createDispatcher(deps: DispatcherDeps) {
  const { store, slots, live, supervisor, clock, log } = deps;
  const waiters = new Map<string, Waiter>();
  const returning = new Map<string, { run: LiveRun; wake: () => void }>();
  const retries = new Set<NodeJS.Timeout>();
  let scheduled = false;
  // Nothing is started before `open`: what a restart found is queued first, in order.
  let held = true;
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
    for (const [agent_id, { run, wake }] of returning) {
      if (!slots.retake(agent_id)) return false;
      if (!run.claim.resume()) {
        slots.lend(agent_id);
        run.waiting = 'role';
        continue;
      }
      returning.delete(agent_id);
      run.waiting = null;
      wake();
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
      void begin(waiter, claim);
    }
  }

  async function begin(waiter: Waiter, claim: Claim): Promise<void> {
    let run: LiveRun | null = null;
    try {
      const server = claim.now();
      const first = await assign(waiter, claim, server);
      if (!first) return release(waiter.agent_id, claim);
      run = first.run;
      live.add(run);
      if (server && first.envelope) return await send(run, server, first.envelope);
      await startWhenReady(run, claim);
    } catch (error) {
      if (run) return startFailed(waiter, run, error);
      release(waiter.agent_id, claim);
      await giveUpOrRetry(waiter, toFailure(error), false);
    }
  }

  /**
   * Slot and place are granted: created → assigned (a resumed subagent is assigned already), and on to running in
   * the same unit of work when its role server is ready. Null when it is no longer wanted.
   */
  function assign(
    waiter: Waiter,
    claim: Claim,
    server: RoleServer | null,
  ): Promise<{ run: LiveRun; envelope: Envelope | null } | null> {
    return store.soon(async (t) => {
      const row = await t.subagents.get(waiter.agent_id);
      if (row?.state !== 'assigned' && row?.state !== 'created') return null;
      const agent = row.state === 'created' ? await move(t, row, 'assigned') : row;
      const run = newRun(agent, claim, clock.mono());
      const envelope = server ? await deps.prepare(t, run, agent, server) : null;
      return server && !envelope ? null : { run, envelope };
    });
  }

  async function startWhenReady(run: LiveRun, claim: Claim): Promise<void> {
    const server = await claim.ready;
    if (run.stopping) return; // whoever stops it settles it
    const envelope = await store.soon(async (t) => {
      const agent = await t.subagents.get(run.agent_id);
      return agent ? deps.prepare(t, run, agent, server) : null;
    });
    if (!envelope) return settle(run.agent_id);
    await send(run, server, envelope);
  }

  async function send(run: LiveRun, server: RoleServer, envelope: Envelope): Promise<void> {
    run.server = server;
    if (run.stopping) return;
    run.last_progress = clock.mono();
    await server.client.start(envelope);
  }

  async function startFailed(waiter: Waiter, run: LiveRun, error: unknown): Promise<void> {
    if (run.stopping || live.get(run.agent_id) !== run) return;
    const failure = toFailure(error);
    const meaning = meaningOf(error, run.server);
    // The role server is going: `gone` takes the run along.
    if (meaning === 'leaving') return;
    if (meaning === 'unreached') await untilGone(run);
    if (run.stopping || closed || live.get(run.agent_id) !== run) return;
    settle(run.agent_id);
    await giveUpOrRetry(waiter, failure, failure.code === 'start_exited');
  }

  /** Resolves when the run has been taken along, or its server is still there when every probe would have missed it. */
  async function untilGone(run: LiveRun): Promise<void> {
    const since = clock.mono();
    while (live.get(run.agent_id) === run && !closed && clock.mono() - since < GOING_MS)
      await new Promise((resolve) => setTimeout(resolve, 100));
  }

  /** A quick exit is tried again while the task's budget lasts; any other failed start ends the attempt. */
  async function giveUpOrRetry(waiter: Waiter, failure: Failure, retry: boolean): Promise<void> {
    if (closed || failure.code === 'shutting_down') return;
    const storage = failure.code === 'storage_full' || failure.code === 'storage_busy';
    if (storage) return later(waiter, 1_000);
    const verdict = await store
      .tx((t) => afterFailedStart(t, waiter.agent_id, failure, retry, deps.alternateOf))
      .catch((error: unknown) => {
        log.error(
          { err: error, agent_id: waiter.agent_id },
          'failed start not recorded; trying again',
        );
        return 'again' as const;
      });
    if (verdict === 'again') later(waiter, 200);
    else if (verdict !== 'late') {
      const agent = await store.reads.subagents.get(waiter.agent_id);
      if (agent) deps.ended(agent);
    }
  }

  function later(waiter: Waiter, ms: number): void {
    const timer = setTimeout(() => {
      retries.delete(timer);
      enqueue({ ...waiter, returning: true });
    }, ms);
    retries.add(timer);
  }

  function release(agent_id: string, claim: Claim): void {
    slots.release(agent_id);
    claim.release();
    pump();
  }

  /** Gives back the slot and the place of a run and fences its token. The only place that does. */
  function settle(agent_id: string): void {
    const run = live.get(agent_id);
    if (!run) return;
    live.remove(agent_id);
    returning.get(agent_id)?.wake();
    returning.delete(agent_id);
    release(agent_id, run.claim);
  }

  function enqueue(waiter: Waiter): void {
    if (closed) return;
    waiters.set(waiter.agent_id, waiter);
    slots.enqueue(waiter);
    pump();
  }

  /** A role server died with runs in it: they go on in another one, as long as their budget lasts. */
  async function gone(server: RoleServer, exit: ServerExit, own_fault: boolean): Promise<void> {
    const runs = live.inServer(server.server_id).filter((run) => !run.stopping);
    await Promise.all(
      runs.map(async (run) => {
        const ancestors = waiterOf(run);
        settle(run.agent_id);
        const text = `role server ${run.role} #${server.instance} ended: ${exit.reason}`;
        const again = await store
          .tx((t) => afterCrash(t, run.agent_id, own_fault ? 1 : 0, text, exit, deps.alternateOf))
          .catch((error: unknown) => {
            log.error(
              { err: error, agent_id: run.agent_id },
              'crash of a role server not recorded',
            );
            return 'again' as const;
          });
        if (again === 'again') enqueue({ ...ancestors, returning: true });
        else if (again !== 'late') deps.ended(run);
      }),
    );
  }

  const waiterOf = (run: LiveRun): Waiter => ({
    agent_id: run.agent_id,
    role: run.role,
    query_id: run.query_id,
    ancestors: [],
    returning: true,
  });

  supervisor.onChange(pump);
  supervisor.onGone((server, exit, own_fault) => void gone(server, exit, own_fault));

  return {
    enqueue,
    settle,
    pump,
    /** Takes a waiting subagent out of the queue; false when it does not wait. */
    withdraw(agent_id: string): boolean {
      waiters.delete(agent_id);
      return slots.remove(agent_id);
    },
    /** The run waits for children or a person: its slot and its place serve others meanwhile. */
    lend(agent_id: string, why: 'child' | 'human'): void {
      const run = live.get(agent_id);
      if (!run || !slots.lend(agent_id)) return;
      run.claim.lend();
      run.waiting = why;
      pump();
    },
    /** Resolves when the run holds its slot and its place again, or has been settled meanwhile. */
    retake(agent_id: string): Promise<void> {
      const run = live.get(agent_id);
      if (!run || run.waiting === null) return Promise.resolve();
      return new Promise((resolve) => {
        run.waiting = 'slot';
        returning.set(agent_id, { run, wake: resolve });
        pump();
      });
    },
    waitingOf(agent_id: string): Waiting {
      const run = live.get(agent_id);
      if (run) return run.server ? run.waiting : null;
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
      for (const timer of retries) clearTimeout(timer);
      retries.clear();
    },
  };
}
export type Dispatcher = ReturnType<typeof createDispatcher>;
