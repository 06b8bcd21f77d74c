// One turn of the main agent, from the `running` row to the outcome: durable at both ends, resumable in between.
import { AppError } from '../domain/errors.ts';
import { noUsage, type Usage } from '../domain/message.ts';
import type { Clock, Log, ModelGateway, Store } from '../domain/ports.ts';
import { isOpenQuery, type LoopRun, type Query } from '../domain/query.ts';
import type { RunHost, RunOutcome } from '../domain/run.ts';
import type { Tasks } from '../tasks/index.ts';
import { endingOf } from './ending.ts';
import { openLoop, patchLoop } from './loop-run.ts';
import { totalUsage } from './tree.ts';

/** What the main agent's loop needs for one turn; main-agent.ts turns it into calls of the loop. */
export type MainRun = {
  query: Query;
  loop: LoopRun;
  host: RunHost;
  signal: AbortSignal;
  /** Messages of the user that arrived during the turn; taken before each model step. */
  steering: string[];
};
export type TurnDeps = {
  store: Store;
  tasks: Tasks;
  gateway: ModelGateway;
  clock: Clock;
  log: Log;
  max_depth: number;
  may_start: readonly string[];
  runMain(run: MainRun): Promise<RunOutcome>;
};

type Turn = {
  abort: AbortController;
  steering: string[];
  done: Promise<void>;
  cancelled: string | null;
};

export function createTurns(deps: TurnDeps) {
  const { store, tasks, gateway, log } = deps;
  const { reads } = store;
  // A turn begins, works and ends in storage that may be full for a while: then it waits.
  const { patientStore } = tasks;
  const turns = new Map<string, Turn>();
  let closing = false;
  const key = (query_id: string): string => `query:${query_id}`;

  async function open(query_id: string): Promise<{ query: Query; loop: LoopRun } | null> {
    return patientStore.tx(async (t) => {
      const query = await t.queries.get(query_id);
      if (!query || !isOpenQuery(query.status)) return null;
      const loop = await openLoop(t, query, query.options.model ?? gateway.chosen().model);
      if (query.status === 'queued') {
        await t.queries.patch(query_id, { status: 'running', updated_at: t.at });
        await t.events.append({ kind: 'query', state: 'running', query_id });
      }
      return { query: { ...query, status: 'running' as const }, loop };
    });
  }

  function hostOf(query: Query, loop: LoopRun): RunHost {
    const record = tasks.recorder({
      ids: { query_id: query.query_id, task_id: null, agent_id: null, role: 'main' },
      thread_id: query.query_id,
      run_id: loop.run_id,
    });
    const caller = {
      query_id: query.query_id,
      task_id: null,
      agent_id: null,
      role: 'main',
      run_id: loop.run_id,
    };
    const parent = {
      name: 'main',
      query,
      agent: null,
      at: { depth: 0, max_depth: deps.max_depth },
      may_start: deps.may_start,
    };
    return {
      model: (request, signal) => gateway.call(request, caller, signal),
      step: record.step,
      toolStarted: record.toolStarted,
      policy: record.policy,
      async tasks(call, signal) {
        try {
          return await tasks.untilStored(() =>
            tasks.act({ parent, run_id: loop.run_id }, call, signal),
          );
        } catch (error) {
          if (error instanceof AppError)
            return { ok: false, code: error.code, message: error.message };
          throw error;
        }
      },
      progress({ activity }) {
        void store.soon((t) => patchLoop(t, loop, { current_step: activity })).catch(() => {});
      },
      // The turn writes its own end, together with the query's.
      async result() {},
    };
  }

  async function close(query: Query, loop: LoopRun, outcome: RunOutcome): Promise<void> {
    const all = await reads.tasks.ofQuery(query.query_id);
    const ending = endingOf(query.input, outcome, all);
    // Work that nobody waits for any more stops, unless the query asked to leave it running.
    if (!(query.options.background && ending.status === 'completed'))
      await tasks.cancelUnder(query.query_id, null, `the query ended: ${ending.status}`);
    await patientStore.tx(async (t) => {
      const rows = await t.tasks.ofQuery(query.query_id);
      await t.queries.patch(query.query_id, {
        status: ending.status,
        answer: ending.answer,
        error: ending.error,
        usage: totalUsage(outcome.usage, rows),
        updated_at: t.at,
      });
      await patchLoop(t, loop, {
        status: ending.loop,
        current_step: 'ended',
        failure_reason: ending.error?.message ?? null,
        metadata: { usage: outcome.usage, end_reason: outcome.end_reason },
      });
      await tasks.destroyEnded(t, query.query_id);
      await t.events.append({
        kind: 'query',
        state: ending.status,
        detail:
          (ending.answer ?? ending.error?.message ?? '').split('\n', 1)[0]?.slice(0, 200) ?? '',
        query_id: query.query_id,
        data: { end_reason: outcome.end_reason },
      });
    });
    tasks.bell.ring(key(query.query_id));
  }

  async function runTurn(query_id: string, turn: Turn): Promise<void> {
    const opened = await open(query_id);
    if (!opened) return;
    const { query, loop } = opened;
    let outcome: RunOutcome;
    try {
      const run = { query, loop, host: hostOf(query, loop), signal: turn.abort.signal };
      outcome = await deps.runMain({ ...run, steering: turn.steering });
    } catch (error) {
      if (closing) return;
      log.error({ err: error, query_id }, 'the main agent broke off');
      outcome = brokenOff(error);
    }
    // A turn that is cut off by a shutdown keeps its rows: the next start goes on from its checkpoint.
    if (closing && !turn.cancelled) return;
    if (turn.cancelled) outcome = { ...outcome, ...cancelledBy(turn.cancelled) };
    await close(query, loop, outcome);
  }

  return {
    active: (): number => turns.size,
    /** Runs a turn to its end; a second call for a running query waits for the same turn. */
    run(query_id: string): Promise<void> {
      const known = turns.get(query_id);
      if (known) return known.done;
      const turn: Turn = {
        abort: new AbortController(),
        steering: [],
        done: Promise.resolve(),
        cancelled: null,
      };
      turns.set(query_id, turn);
      turn.done = runTurn(query_id, turn).finally(() => turns.delete(query_id));
      return turn.done;
    },
    async steer(query: Query, text: string): Promise<void> {
      const turn = turns.get(query.query_id);
      if (!turn)
        throw new AppError(
          'conflict',
          `query ${query.query_id} is ${query.status}; send the message when it runs`,
        );
      turn.steering.push(text);
      await store.tx((t) =>
        t.events.append({
          kind: 'notice',
          state: 'steer_queued',
          detail: text.slice(0, 200),
          query_id: query.query_id,
        }),
      );
    },
    /** Stops the tree below, then the main agent, then writes `cancelled`. */
    async cancel(query: Query, reason: string): Promise<void> {
      const turn = turns.get(query.query_id);
      tasks.stopping.add(query.query_id);
      try {
        if (turn) {
          turn.cancelled ??= reason;
          turn.abort.abort();
        }
        await tasks.cancelUnder(query.query_id, null, `query cancelled: ${reason}`);
        if (turn) await turn.done;
        else await cancelIdle(store, query, reason);
        tasks.bell.ring(key(query.query_id));
      } finally {
        tasks.stopping.delete(query.query_id);
      }
    },
    async untilEnded(id: string, ms: number, signal: AbortSignal): Promise<void> {
      const deadline = performance.now() + ms;
      while (!signal.aborted && performance.now() < deadline) {
        const rung = tasks.bell.wait(key(id), deadline - performance.now(), signal);
        const query = await reads.queries.get(id);
        if (!query || !isOpenQuery(query.status)) return tasks.bell.ring(key(id));
        await rung;
      }
    },
    /** Tokens of the main agent's own calls, over all turns. */
    async ownUsage(query_id: string): Promise<Usage> {
      const loops = await reads.loops.ofQuery(query_id);
      return (loops.at(-1)?.metadata.usage as Usage | undefined) ?? noUsage();
    },
    async close(): Promise<void> {
      closing = true;
      for (const turn of turns.values()) turn.abort.abort();
      await Promise.all([...turns.values()].map((turn) => turn.done.catch(() => {})));
    },
  };
}
export type Turns = ReturnType<typeof createTurns>;

const ended = { text: '', usage: noUsage(), iterations: 0, model: null, background_left: [] };

function brokenOff(error: unknown): RunOutcome {
  const message =
    error instanceof AppError ? error.message : 'the main agent broke off; see the log';
  const failure = { code: 'internal' as const, message, reasons: [message] };
  return { ...ended, status: 'failed', end_reason: 'error', error: failure };
}

function cancelledBy(reason: string): Pick<RunOutcome, 'status' | 'end_reason' | 'error'> {
  const error = { code: 'cancelled' as const, message: reason, reasons: [reason] };
  return { status: 'cancelled', end_reason: 'cancelled', error };
}

/** A query without a turn: queued, or the implicit query of direct tasks. */
async function cancelIdle(store: Store, query: Query, reason: string): Promise<void> {
  await store.tx(async (t) => {
    const row = await t.queries.get(query.query_id);
    if (!row || !isOpenQuery(row.status)) return;
    const error = { code: 'cancelled' as const, message: reason, reasons: [reason] };
    await t.queries.patch(query.query_id, { status: 'cancelled', error, updated_at: t.at });
    await t.events.append({
      kind: 'query',
      state: 'cancelled',
      detail: reason,
      query_id: query.query_id,
    });
  });
}
