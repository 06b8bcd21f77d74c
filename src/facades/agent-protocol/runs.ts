// Runs: accepted in one unit of work and answered at once; what happens to them then is the driver's business.
import { AppError } from '../../domain/errors.ts';
import { uuidv7 } from '../../domain/ids.ts';
import type { Lanes } from '../../domain/lanes.ts';
import type { Tx } from '../../domain/ports.ts';
import type { ProtocolRun, ProtocolThread, RunStatus, Strategy } from '../../domain/protocol.ts';
import type { Begin } from './begin.ts';
import type { CloseRun } from './close-run.ts';
import type { ProtocolDeps } from './deps.ts';
import { bellOf, type Driver } from './driver.ts';
import type { Json } from './messages.ts';
import { nextRing } from './next-ring.ts';
import { answersTo, pendingOf } from './person.ts';
import { checkRun, type RunAsk } from './run-request.ts';
import { viewOf } from './run-view.ts';
import { isEnd, type Look, lookAt, threadStatus } from './status.ts';
import { cleanId, newRun, newThread, type Threads } from './threads.ts';

export type RunsDeps = ProtocolDeps & {
  inLane: Lanes;
  driver: Driver;
  work: Begin;
  close: CloseRun;
  threads: Threads;
};
export type CancelAction = 'interrupt' | 'rollback';

/** Without a word of the caller nothing is lost: the run waits for those before it. */
const DEFAULT_STRATEGY: Strategy = 'enqueue';
/** On one thread. */
const MOST_WAITING = 1_000;

export function createRuns(deps: RunsDeps) {
  const { store, tasks, inLane, driver, work, close, threads, clock } = deps;
  const { reads } = store;

  async function find(id: string, thread_id?: string): Promise<ProtocolRun> {
    const run_id = cleanId(id);
    const run = await reads.protocol.run(run_id);
    if (run && (thread_id === undefined || run.thread_id === cleanId(thread_id))) return run;
    throw new AppError('not_found', `no run ${run_id} here; ids are given whole`);
  }

  /** What a new run does to those that are open on its thread, before it stands beside them. */
  async function makeRoom(t: Tx, run: ProtocolRun, thread: ProtocolThread): Promise<void> {
    const all = await t.protocol.runsOf(run.thread_id);
    if (all.filter(({ state }) => state === 'waiting').length >= MOST_WAITING)
      throw new AppError(
        'conflict',
        `${MOST_WAITING} runs wait on thread ${run.thread_id} already`,
      );
    if (run.strategy === 'reject') {
      const looks = await Promise.all(all.map((other) => lookAt(t, other)));
      if (threadStatus(looks) === 'busy' || (await threads.standOf(thread)).busy)
        throw new AppError(
          'conflict',
          `thread ${run.thread_id} is busy and multitask_strategy is "reject"; wait for its run, or use enqueue, interrupt or rollback`,
        );
    }
    const drops = run.strategy === 'interrupt' || run.strategy === 'rollback';
    for (const other of drops ? all.filter(({ state }) => state === 'waiting') : [])
      if (run.strategy === 'rollback') await t.protocol.removeRun(other.run_id);
      else {
        const reason = `run ${run.run_id} took its place`;
        await close(t, other, { status: 'interrupted', reason, error: null });
      }
  }

  /** Accepts a run. `thread_id` null: on a thread of its own, which goes with its end unless it is to be kept. */
  async function create(
    given: string | null,
    assistant: string,
    ask: RunAsk,
  ): Promise<{ run: ProtocolRun; thread: ProtocolThread }> {
    const { request, resume } = checkRun(ask, deps.limits.description_limit);
    if (ask.webhook) deps.webhooks.check(ask.webhook);
    const thread_id = given === null ? uuidv7() : cleanId(given);
    const temporary = given === null && (ask.on_completion ?? 'delete') === 'delete';
    if (given !== null && ask.on_completion === 'delete')
      throw new AppError('bad_request', 'on_completion "delete" is for runs without a thread');
    const create_it = given === null || ask.if_not_exists === 'create';
    // Work of the native API is taken over with its assistant, also where a new thread would do.
    const known = given === null ? null : await threads.find(thread_id).catch(ifMissing(create_it));
    if (known?.assistant && known.assistant !== assistant) throw otherAssistant(known, assistant);
    // An answer that fits nothing is refused at once.
    if (resume) answersTo(await pendingOf(reads, { thread_id, assistant }), ask.command?.resume);
    const made = await store.tx(async (t) => {
      let thread = await t.protocol.thread(thread_id);
      if (!thread) {
        thread = newThread({ thread_id, temporary }, t.at);
        await t.protocol.insertThread(thread);
      }
      if (thread.assistant !== null && thread.assistant !== assistant)
        throw otherAssistant(thread, assistant);
      const delay = ask.after_seconds ?? 0;
      const run: ProtocolRun = {
        ...newRun({ run_id: uuidv7(), thread_id, assistant }, t.at),
        strategy: (ask.multitask_strategy as Strategy | null | undefined) ?? DEFAULT_STRATEGY,
        metadata: (ask.metadata ?? {}) as Json,
        request,
        not_before:
          delay > 0 ? new Date(clock.now().getTime() + delay * 1_000).toISOString() : null,
      };
      await makeRoom(t, run, thread);
      await t.protocol.insertRun(run);
      await t.protocol.patchThread(thread_id, { assistant });
      return { run, thread: { ...thread, assistant } };
    });
    driver.wake(thread_id);
    return made;
  }

  /** The run as clients know it, as it stands at this moment. */
  const view = async (run: ProtocolRun): Promise<Json> => viewOf(run, await lookAt(reads, run));

  /** Resolves with how the run stands when it has ended, waits for a person, or the signal fires. */
  async function untilEnded(run: ProtocolRun, signal: AbortSignal): Promise<Look> {
    for (;;) {
      const { rung, leave } = nextRing(tasks.bell, bellOf(run.thread_id), signal);
      const row = await reads.protocol.run(run.run_id);
      const look = row ? await lookAt(reads, row) : GONE;
      if (isEnd(look.status) || signal.aborted) {
        leave();
        return look;
      }
      await rung;
    }
  }

  /** What is over stays as it is; the caller hears how it ended. */
  function refuseEnded(run: ProtocolRun, { status, open }: Look): void {
    if (!open)
      throw new AppError(
        'conflict',
        `run ${run.run_id} is already ${status}; nothing was changed`,
        {
          data: { status },
        },
      );
  }

  async function stopNow(run_id: string, action: CancelAction, reason: string): Promise<void> {
    const row = await reads.protocol.run(run_id);
    if (!row) return;
    const look = await lookAt(reads, row);
    refuseEnded(row, look);
    if (action === 'rollback') return driver.undo(row, reason);
    if (row.state === 'waiting')
      await store.tx(async (t) => {
        if ((await t.protocol.run(run_id))?.state !== 'waiting') return;
        await close(t, row, { status: 'interrupted', reason, error: null });
      });
    else {
      await work.stop(row, reason);
      await driver.settle(row);
    }
  }

  return {
    find,
    create,
    view,
    untilEnded,
    async list(thread_id: string, status?: RunStatus): Promise<ProtocolRun[]> {
      const all = (await reads.protocol.runsOf(thread_id)).reverse();
      if (status === undefined) return all;
      const out: ProtocolRun[] = [];
      for (const run of all) if ((await lookAt(reads, run)).status === status) out.push(run);
      return out;
    },
    look: (run: ProtocolRun): Promise<Look> => lookAt(reads, run),
    /** Resolves when the run has stopped. AppError conflict with the true status when it has ended already. */
    async cancel(run: ProtocolRun, action: CancelAction, reason: string): Promise<void> {
      refuseEnded(run, await lookAt(reads, run));
      try {
        await inLane(run.thread_id, () => stopNow(run.run_id, action, reason));
      } finally {
        driver.ring(run.thread_id);
        driver.wake(run.thread_id);
      }
    },
    /** A run that is at work cannot be removed. What it said stays on its thread. */
    async remove(run: ProtocolRun): Promise<void> {
      if ((await lookAt(reads, run)).open)
        throw new AppError('conflict', `run ${run.run_id} is at work; cancel it first`);
      await store.tx((t) => t.protocol.removeRun(run.run_id));
    },
    /** The values of the thread as the run has left them, or as they are. */
    async values(run: ProtocolRun): Promise<Json> {
      const thread = await threads.find(run.thread_id);
      const row = (await reads.protocol.run(run.run_id)) ?? run;
      return threads.states.values(thread, row.to_checkpoint);
    },
  };
}
export type Runs = ReturnType<typeof createRuns>;

/** A missing thread is made where the caller said so. */
const ifMissing =
  (create_it: boolean) =>
  (error: unknown): null => {
    if (create_it && error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  };
const otherAssistant = (thread: ProtocolThread, assistant: string): AppError =>
  new AppError(
    'bad_request',
    `thread ${thread.thread_id} belongs to ${thread.assistant}; start another thread for ${assistant}`,
  );

const GONE: Look = {
  status: 'interrupted',
  open: false,
  error: null,
  reason: 'the run was rolled back or removed',
};
