// Moves the runs of a thread on, one thread at a time: a run that has ended is closed, the next one is handed on.
// It holds nothing that the rows do not: after a restart it looks at them and goes on.
import { AppError, type ErrorCode, toFailure } from '../../domain/errors.ts';
import type { EventKind, TroupeEvent } from '../../domain/event.ts';
import type { Lanes } from '../../domain/lanes.ts';
import type { ProtocolRun } from '../../domain/protocol.ts';
import type { Begin } from './begin.ts';
import type { CloseRun } from './close-run.ts';
import type { ProtocolDeps } from './deps.ts';
import type { Tell } from './run-view.ts';
import { isEnd, lookAt } from './status.ts';

export type DriverDeps = ProtocolDeps & {
  inLane: Lanes;
  work: Begin;
  close: CloseRun;
  tell: Tell;
};

/** No room at this moment: the run stays pending. */
const NOT_NOW: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['queue_full', 'capacity', 'storage_busy', 'storage_full'] as const),
  'shutting_down',
]);
/** Kinds of events after which a run may stand otherwise. */
const MOVING: ReadonlySet<EventKind> = new Set<EventKind>(['query', 'subagent', 'review']);
const AGAIN_MS = 500;
/** A timer that is set for longer fires at once. */
const LONGEST_MS = 2 ** 31 - 1;
/** Reason of a run while it is being rolled back. */
const UNDOING = 'rolled back';
/** The rows changed under a run that was to begin; more often than this is a fault. */
const TRIES = 5;

/** Rung when a run of the thread may stand otherwise, and when there is anything new for its readers. */
export const bellOf = (thread_id: string): string => `thread:${thread_id}`;
export const newsOf = (thread_id: string): string => `thread-news:${thread_id}`;

export function createDriver(deps: DriverDeps) {
  const { store, hub, tasks, inLane, work, close, clock, log } = deps;
  const { reads } = store;
  /** Threads with runs that have not ended; the others are left alone. */
  const active = new Set<string>();
  const timers = new Map<string, NodeJS.Timeout>();
  const holds = new Map<string, number>();
  let closed = false;
  let reader: { close(): void } | null = null;

  const ring = (thread_id: string): void => {
    tasks.bell.ring(bellOf(thread_id));
    tasks.bell.ring(newsOf(thread_id));
  };

  /** Writes the end of a run that has been handed on, as its task or query says it. */
  async function settle(run: ProtocolRun): Promise<void> {
    await store.tx(async (t) => {
      const row = await t.protocol.run(run.run_id);
      if (row?.state !== 'started') return;
      const { status, open, reason, error } = await lookAt(t, row);
      if (!open && isEnd(status)) await close(t, row, { status, reason, error });
    });
    ring(run.thread_id);
  }

  /** Which run begins now, and in whose place; null: none does. */
  async function choose(runs: ProtocolRun[]): Promise<{
    next: ProtocolRun;
    current: ProtocolRun | null;
  } | null> {
    const current = runs.find((run) => run.state === 'started') ?? null;
    const waiting = runs.filter((run) => run.state === 'waiting');
    const now = clock.now().toISOString();
    const next = waiting.find(({ not_before }) => not_before === null || not_before <= now);
    if (!next) {
      const at = waiting.map((run) => run.not_before ?? now).sort()[0];
      if (at) later(waiting[0]?.thread_id ?? '', Date.parse(at) - clock.now().getTime());
      return null;
    }
    if (!current) return { next, current };
    const takes = next.strategy === 'interrupt' || next.strategy === 'rollback';
    const asks = (await lookAt(reads, current)).status === 'interrupted';
    return takes || asks ? { next, current } : null;
  }

  async function advance(thread_id: string): Promise<void> {
    for (let tries = 0; !closed; ) {
      const open = (await reads.protocol.runsOf(thread_id)).filter((r) => r.state !== 'ended');
      if (open.length === 0) {
        active.delete(thread_id);
        return leave(thread_id);
      }
      const started = open.find((run) => run.state === 'started');
      const look = started ? await lookAt(reads, started) : null;
      if (started && !look?.open) {
        if (started.reason === UNDOING) await undo(started, UNDOING);
        else await settle(started);
        continue;
      }
      if (started?.request.webhook && look?.status === 'interrupted')
        await store.tx((t) => deps.tell(t, { ...started, status: 'interrupted' }));
      const choice = await choose(open);
      if (!choice) return;
      try {
        await begin(choice.next, choice.current);
      } catch (error) {
        tries += 1;
        if (!(await goesOn(choice.next, error, tries))) return;
      }
      ring(thread_id);
    }
  }

  async function begin(next: ProtocolRun, current: ProtocolRun | null): Promise<void> {
    if (current && next.strategy === 'rollback') {
      await undo(current, `run ${next.run_id} took its place`);
      return work.begin(next, null);
    }
    await work.begin(next, current);
  }

  /** false: not now; the run is looked at again after a while. */
  async function goesOn(run: ProtocolRun, error: unknown, tries: number): Promise<boolean> {
    const failure = toFailure(error);
    if (NOT_NOW.has(failure.code)) {
      later(run.thread_id, AGAIN_MS);
      return false;
    }
    if (failure.code === 'conflict' && tries < TRIES) return true;
    if (!(error instanceof AppError)) log.error({ err: error, ...idsOf(run) }, 'a run broke off');
    const message = error instanceof AppError ? failure.message : 'internal error';
    await store.tx((t) => close(t, run, { status: 'error', reason: null, error: message }));
    return true;
  }

  /** Stops a run and takes away all that it did to its thread, and the run itself. After a crash it is gone on with. */
  async function undo(run: ProtocolRun, reason: string): Promise<void> {
    const { thread_id, run_id } = run;
    if (run.state === 'started' && (await lookAt(reads, run)).open) {
      const mark = (text: string | null) =>
        store.tx((t) => t.protocol.patchRun(run_id, { reason: text }));
      await mark(UNDOING);
      // One that came to its own end first has had its effect: it stays.
      await work.stop(run, reason).catch(async (error: unknown) => {
        await mark(null);
        throw error;
      });
    }
    await store.tx(async (t) => {
      const row = await t.protocol.run(run_id);
      if (!row) return;
      if (row.state === 'started') {
        await t.checkpoints.hideAfter(thread_id, row.from_checkpoint);
        await t.protocol.patchThread(thread_id, { values: row.values_before ?? {} });
      }
      await t.protocol.removeRun(run_id);
    });
    ring(thread_id);
  }

  function later(thread_id: string, ms: number): void {
    if (closed) return;
    clearTimeout(timers.get(thread_id));
    const timer = setTimeout(
      () => {
        timers.delete(thread_id);
        wake(thread_id);
      },
      Math.min(Math.max(ms, 0), LONGEST_MS),
    );
    timers.set(thread_id, timer.unref());
  }

  function wake(thread_id: string): void {
    if (closed) return;
    active.add(thread_id);
    inLane(thread_id, () => advance(thread_id)).catch((error: unknown) => {
      log.error({ err: error, thread_id }, 'a thread did not go on; trying again');
      later(thread_id, AGAIN_MS);
    });
  }

  /** A thread that was made for one run goes when the run has ended and nobody reads it. */
  async function leave(thread_id: string): Promise<void> {
    if (holds.has(thread_id)) return;
    const thread = await reads.protocol.thread(thread_id);
    if (thread?.temporary) await store.tx((t) => t.protocol.removeThread(thread_id));
  }

  const heard = ({ task_id, query_id, kind, state }: TroupeEvent): void => {
    for (const id of [task_id, query_id]) {
      if (id === null || !active.has(id)) continue;
      if (!MOVING.has(kind)) tasks.bell.ring(newsOf(id));
      else ring(id);
      const over = ['completed', 'failed', 'cancelled', 'degraded', 'destroyed'].includes(state);
      if (over || kind === 'query' || kind === 'review') wake(id);
    }
  };
  function listen(): void {
    reader = hub.subscribe({
      after: null,
      filter: {},
      push({ event }) {
        heard(event);
        return true;
      },
      resync() {
        if (closed) return;
        listen();
        for (const thread_id of active) wake(thread_id);
      },
    });
  }

  return {
    wake,
    ring,
    settle,
    undo,
    /** Listens to the log and takes up every run that has not ended. */
    async open(): Promise<void> {
      listen();
      for (const { thread_id } of await reads.protocol.openRuns()) wake(thread_id);
      for (const thread_id of await reads.protocol.temporary())
        if (!active.has(thread_id)) await leave(thread_id);
    },
    /** Keeps a thread that was made for one run while somebody reads it; answers what lets it go. */
    hold(thread_id: string): () => void {
      holds.set(thread_id, (holds.get(thread_id) ?? 0) + 1);
      return () => {
        const left = (holds.get(thread_id) ?? 1) - 1;
        if (left > 0) holds.set(thread_id, left);
        else holds.delete(thread_id);
        if (left === 0 && !closed)
          void inLane(thread_id, async () => {
            const runs = await reads.protocol.runsOf(thread_id);
            if (runs.every((run) => run.state === 'ended')) await leave(thread_id);
          }).catch((error: unknown) => log.error({ err: error, thread_id }, 'a thread stays'));
      };
    },
    stop(): void {
      closed = true;
      reader?.close();
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
export type Driver = ReturnType<typeof createDriver>;

const idsOf = ({ run_id, thread_id }: ProtocolRun) => ({ run_id, thread_id });
