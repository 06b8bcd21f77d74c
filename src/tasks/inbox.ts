// What a run may say to main: one RunHost for each live run. It writes what runs report and translates their
// async tools into the services. A run that has been settled reaches only `lateHost`.
import { AppError } from '../domain/errors.ts';
import type { Clock, ModelGateway, Store, Tx } from '../domain/ports.ts';
import type { RunHost, RunOutcome, StepDelta, TaskAnswer, TaskCall } from '../domain/run.ts';
import { conclude } from './lifecycle.ts';
import type { LiveRun, Tombstone } from './live.ts';
import { createRecorder, type Recorded, writeStep } from './record.ts';

export type InboxDeps = {
  store: Store;
  gateway: ModelGateway;
  clock: Clock;
  /** Runs one of the five async tools, or the wait of the completion, in the name of the run. */
  tasks(run: LiveRun, call: TaskCall, signal: AbortSignal): Promise<TaskAnswer>;
  /** The run has its outcome: give back what it held, wake who waits. */
  finished(run: LiveRun, how: 'ended' | 'goes_on' | 'late'): void;
};

export function createInbox({ store, gateway, clock, tasks, finished }: InboxDeps) {
  return function hostFor(run: LiveRun): RunHost {
    const record = createRecorder(store, () => recordOf(run));
    const alive = (activity?: string): void => {
      run.last_progress = clock.mono();
      if (activity) run.activity = activity;
    };
    return {
      async *model(request, signal) {
        alive('waiting for the model');
        const both = AbortSignal.any([signal, run.abort.signal]);
        const caller = {
          query_id: run.query_id,
          task_id: run.task_id,
          agent_id: run.agent_id,
          role: run.role,
          run_id: run.run_id,
        };
        for await (const chunk of gateway.call(request, caller, both)) {
          alive();
          yield chunk;
        }
      },
      async step(delta, receipts) {
        alive();
        await record.step(delta, receipts);
      },
      async toolStarted(start) {
        alive(start.calls.map((c) => c.name).join(', '));
        await record.toolStarted(start);
      },
      async tasks(call, signal) {
        alive();
        try {
          return await tasks(run, call, AbortSignal.any([signal, run.abort.signal]));
        } catch (error) {
          if (error instanceof AppError)
            return { ok: false, code: error.code, message: error.message };
          throw error;
        } finally {
          alive();
        }
      },
      progress({ activity }) {
        alive(activity);
      },
      async result(outcome, last) {
        if (run.stopping && outcome.status !== 'completed') {
          // Whoever stops the run writes its end, after everything under it has stopped too. A run that is
          // stopped may see that as a failure: of its model call, which main has ended.
          run.last_words = outcome;
          if (last) await store.soon((t) => writeStep(t, recordOf(run), last, []));
          return;
        }
        const how = await store.tx((t) => writeResult(t, run, outcome, last));
        finished(run, how);
      },
    };
  };
}

/** For a token whose run is over: a late result is noted and changes nothing, everything else is refused. */
export function createLateHost(store: Store) {
  return (of: Tombstone): RunHost => {
    const refuse = (): never => {
      throw new AppError(
        'cancelled',
        `the run of task ${of.task_id} is over; nothing of it counts any more`,
      );
    };
    return {
      // biome-ignore lint/correctness/useYield: refusing before the first chunk is the whole point
      async *model() {
        refuse();
      },
      step: async () => refuse(),
      toolStarted: async () => refuse(),
      tasks: async () => refuse(),
      progress() {},
      async result(outcome) {
        if (outcome.status === 'cancelled') return;
        await store.tx((t) =>
          t.events.append({
            kind: 'notice',
            state: 'late_result',
            detail: `${outcome.status}: ${outcome.text.slice(0, 200)}`,
            ...ids(of),
          }),
        );
      },
    };
  };
}

const ids = (of: Tombstone) => ({
  query_id: of.query_id,
  task_id: of.task_id,
  agent_id: of.agent_id,
  role: of.role,
});
const recordOf = (run: LiveRun): Recorded => ({
  ids: ids(run),
  thread_id: run.task_id,
  run_id: run.run_id,
});

async function writeResult(
  t: Tx,
  run: LiveRun,
  outcome: RunOutcome,
  last: StepDelta | null,
): Promise<'ended' | 'goes_on' | 'late'> {
  if (last) await writeStep(t, recordOf(run), last, []);
  const { status, text, error, usage } = outcome;
  const first = text.split('\n', 1)[0]?.slice(0, 200) ?? '';
  const how = await conclude(t, run.agent_id, status, {
    text: text || null,
    error,
    detail: status === 'completed' ? first : (error?.message ?? outcome.end_reason),
    usage,
  });
  if (how !== 'late' && outcome.background_left.length > 0)
    await t.events.append({
      kind: 'notice',
      state: 'background_left',
      detail: `stopped: ${outcome.background_left.join('; ').slice(0, 300)}`,
      ...ids(run),
    });
  return how;
}
