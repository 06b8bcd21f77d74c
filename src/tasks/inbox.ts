// What a run may say to main: one RunHost for each live run. It writes what runs report and translates their
// async tools into the services. A run that has been settled reaches only `lateHost`.
import type { AgentMemory, Speaker } from '../domain/brain.ts';
import { AppError, type Failure } from '../domain/errors.ts';
import { joinSignals } from '../domain/join-signals.ts';
import { wordsIn } from '../domain/language.ts';
import { addUsage } from '../domain/message.ts';
import type { CheckedAnswer } from '../domain/output-schema.ts';
import type { Clock, ModelGateway, Store, Tx } from '../domain/ports.ts';
import type { AskAnswer, AskCall } from '../domain/review.ts';
import {
  type RunHost,
  type RunOutcome,
  refusalOf,
  type StepDelta,
  type TaskAnswer,
  type TaskCall,
} from '../domain/run.ts';
import { isOpenTask } from '../domain/task.ts';
import { type AlternateOf, pickAlternate } from './alternate.ts';
import { unverifiedClaims } from './claims.ts';
import { storageRefuses } from './insist.ts';
import { noteDrift } from './language-drift.ts';
import { type Concluded, conclude, move } from './lifecycle.ts';
import type { LiveRun, Tombstone } from './live.ts';
import { checkAnswer } from './output-schema.ts';
import { createRecorder, type Recorded, writeStep } from './record.ts';

export type InboxDeps = {
  store: Store;
  gateway: ModelGateway;
  memory: AgentMemory;
  clock: Clock;
  /** Runs one of the five async tools, or the wait of the completion, in the name of the run. */
  tasks(run: LiveRun, call: TaskCall, signal: AbortSignal): Promise<TaskAnswer>;
  /** Asks a person in the name of the run. */
  ask(by: Speaker & { agent_id: string }, call: AskCall, signal: AbortSignal): Promise<AskAnswer>;
  alternateOf: AlternateOf;
  /** The run has its outcome: give back what it held, wake who waits. */
  finished(run: LiveRun, how: Concluded): void;
};

/** A provider at work is a sign of life; well below the time after which a silent run counts as blocked. */
const BEAT_MS = 3_000;

export function createInbox(deps: InboxDeps) {
  const { store, gateway, memory, clock, tasks, ask, alternateOf, finished } = deps;
  return function hostFor(run: LiveRun): RunHost {
    // Asked inside each unit of work: what a run still sends when it has been settled does not count.
    const record = createRecorder(store, () => {
      if (run.over) throw over(run);
      return recordOf(run);
    });
    const alive = (activity?: string): void => {
      run.last_progress = clock.mono();
      if (activity) run.activity = activity;
    };
    return {
      async *model(request, signal) {
        alive('waiting for the model');
        const both = joinSignals([signal, run.abort.signal]);
        const caller = {
          query_id: run.query_id,
          task_id: run.task_id,
          agent_id: run.agent_id,
          role: run.role,
          run_id: run.run_id,
        };
        const beat = gateway.beats(request.model, run.role)
          ? setInterval(alive, BEAT_MS)
          : undefined;
        try {
          for await (const chunk of gateway.call(request, caller, both.signal)) {
            alive();
            yield chunk;
          }
        } finally {
          clearInterval(beat);
          both.release();
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
        if (dropped(run)) return { ok: false, code: 'cancelled', message: over(run).message };
        const both = joinSignals([signal, run.abort.signal]);
        try {
          return await tasks(run, call, both.signal);
        } catch (error) {
          // A run that waits for room asks again; every other refusal is an answer.
          if (error instanceof AppError && !storageRefuses(error)) return refusalOf(error);
          throw error;
        } finally {
          both.release();
          alive();
        }
      },
      policy: record.policy,
      async memory(call) {
        alive();
        if (dropped(run)) return { ok: false, code: 'cancelled', message: over(run).message };
        return memory.memory(speakerOf(run), call);
      },
      async brain(call) {
        alive();
        if (dropped(run)) return { ok: false, code: 'cancelled', message: over(run).message };
        return memory.brain(speakerOf(run), call);
      },
      async ask(call, signal) {
        alive('waiting for a person');
        if (dropped(run)) return { ok: false, code: 'cancelled', message: over(run).message };
        const both = joinSignals([signal, run.abort.signal]);
        try {
          const by = { ...speakerOf(run), agent_id: run.agent_id };
          return await ask(by, call, both.signal);
        } finally {
          both.release();
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
          if (!run.over) await store.soon((t) => writeLastWords(t, run, outcome, last));
          return;
        }
        const { output_schema: schema } = run;
        const checked =
          schema && outcome.status === 'completed' ? checkAnswer(schema, outcome.text) : null;
        const how = await store.tx(async (t) => {
          if (!run.over) return writeResult(t, run, { outcome, last, checked }, alternateOf);
          await noteLate(t, ids(run), outcome);
          return null;
        });
        if (how !== null) finished(run, how);
      },
    };
  };
}

/** For a token whose run is over: a late result is noted and changes nothing, everything else is refused. */
export function createLateHost(store: Store) {
  return (of: Tombstone): RunHost => {
    const refuse = (): never => {
      throw over(of);
    };
    return {
      // biome-ignore lint/correctness/useYield: refusing before the first chunk is the whole point
      async *model() {
        refuse();
      },
      step: async () => refuse(),
      toolStarted: async () => refuse(),
      tasks: async () => refuse(),
      policy: async () => refuse(),
      memory: async () => refuse(),
      brain: async () => refuse(),
      ask: async () => refuse(),
      progress() {},
      async result(outcome) {
        if (outcome.status === 'cancelled') return;
        await store.tx((t) => noteLate(t, ids(of), outcome));
      },
    };
  };
}

const dropped = (run: LiveRun): boolean => run.over || run.stopping !== null;
const over = ({ task_id }: Tombstone): AppError =>
  new AppError('cancelled', `the run of task ${task_id} is over; nothing of it counts any more`);

async function noteLate(t: Tx, of: Tombstone, { status, text }: RunOutcome): Promise<void> {
  if (status === 'cancelled') return;
  const detail = `${status}: ${text.slice(0, 200)}`;
  await t.events.append({ kind: 'notice', state: 'late_result', detail, ...of });
}

const ids = (of: Tombstone): Tombstone => ({
  query_id: of.query_id,
  task_id: of.task_id,
  agent_id: of.agent_id,
  role: of.role,
});
const speakerOf = (run: LiveRun): Speaker => ({ ...ids(run), run_id: run.run_id });
const recordOf = (run: LiveRun): Recorded => ({
  ids: ids(run),
  thread_id: run.task_id,
  run_id: run.run_id,
});

/** What a run that is being stopped has said and used. Its end is written by whoever stops it. */
async function writeLastWords(
  t: Tx,
  run: LiveRun,
  { usage }: RunOutcome,
  last: StepDelta | null,
): Promise<void> {
  if (last) await writeStep(t, recordOf(run), last, []);
  const task = usage.model_calls > 0 ? await t.tasks.get(run.task_id) : null;
  if (task) await t.tasks.patch(task.task_id, { usage: addUsage(task.usage, usage) });
}

type Reported = { outcome: RunOutcome; last: StepDelta | null; checked: CheckedAnswer | null };

async function writeResult(
  t: Tx,
  run: LiveRun,
  { outcome, last, checked }: Reported,
  alternateOf: AlternateOf,
): Promise<Concluded> {
  if (last) await writeStep(t, recordOf(run), last, []);
  const { status, usage, end_reason } = outcome;
  const missing = status === 'completed' && run.spawned ? await missingUnder(t, run) : '';
  const text = [outcome.text, missing].filter(Boolean).join('\n\n');
  const error = end_reason === 'timeout' ? namePhase(outcome.error, run.activity) : outcome.error;
  const first = text.split('\n', 1)[0]?.slice(0, 200) ?? '';
  const detail = status === 'completed' ? first : (error?.message ?? end_reason);
  const to = end_reason === 'blocked' ? await block(t, run, detail, alternateOf) : status;
  const how = await conclude(
    t,
    run.agent_id,
    to,
    { text: text || null, error, detail, usage },
    status === 'failed' ? alternateOf : null,
  );
  if (how === 'ended' && status === 'completed') await noteUnverified(t, run, text);
  if (how === 'ended' && checked) await noteShape(t, run, checked);
  if (how === 'ended' && status === 'completed') await noteDrift(t, ids(run), run.language, text);
  if (how !== 'late' && outcome.background_left.length > 0)
    await t.events.append({
      kind: 'notice',
      state: 'background_left',
      detail: `stopped: ${outcome.background_left.join('; ').slice(0, 300)}`,
      ...ids(run),
    });
  return how;
}

/** What the run was doing when its time was up is part of the reason. */
function namePhase(error: Failure | null, activity: string): Failure | null {
  if (!error) return null;
  const message = `${error.message} (phase: ${activity})`;
  return { ...error, message, reasons: [message] };
}

/** The agent has said that it cannot go on: blocked, and then cancelled for the alternate role, or failed. */
async function block(
  t: Tx,
  run: LiveRun,
  reason: string,
  alternateOf: AlternateOf,
): Promise<'cancelled' | 'failed'> {
  const agent = await t.subagents.get(run.agent_id);
  if (agent?.state !== 'running') return 'failed';
  const blocked = await move(t, agent, 'blocked', { detail: reason });
  const failure = { code: 'blocked' as const, message: reason, reasons: [reason] };
  return (await pickAlternate(t, blocked, failure, alternateOf)) ? 'cancelled' : 'failed';
}

/** Nobody reports completed as if all were in: what is missing is named in the result. */
async function missingUnder(t: Tx, run: LiveRun): Promise<string> {
  const open = (await t.tasks.children(run.query_id, run.task_id)).filter((c) =>
    isOpenTask(c.status),
  );
  const names = open.map((c) => `${c.subagent_type} ${c.task_id} (${c.status})`);
  return names.length > 0 ? wordsIn(run.language).missing(names.join(', ')) : '';
}

/** Whether the result has the shape that was asked for; its text stays as it is. */
async function noteShape(t: Tx, run: LiveRun, { valid, value, problems }: CheckedAnswer) {
  await t.tasks.patch(run.task_id, { schema_valid: valid, structured: value });
  if (valid) return;
  const detail = `the result does not fit its output schema: ${problems.join('; ').slice(0, 400)}`;
  const data = { problems };
  await t.events.append({ kind: 'notice', state: 'schema_invalid', detail, ...ids(run), data });
}

async function noteUnverified(t: Tx, run: LiveRun, text: string): Promise<void> {
  const claims = unverifiedClaims(text, await t.checkpoints.calls(run.run_id));
  if (claims.length === 0) return;
  await t.tasks.patch(run.task_id, { unverified: claims });
  await t.events.append({
    kind: 'notice',
    state: 'unverified',
    detail: `claims without a receipt: ${claims.join(', ')}`,
    ...ids(run),
  });
}
