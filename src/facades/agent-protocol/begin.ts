// Hands a run on: to a role as a task, or to the main agent as a query, whose id is that of the thread. The rows that
// say so are written in the unit of work in which the work begins.
import { AppError } from '../../domain/errors.ts';
import type { Reads, Tx } from '../../domain/ports.ts';
import type { ProtocolRun } from '../../domain/protocol.ts';
import { MAIN } from './assistants.ts';
import type { CloseRun } from './close-run.ts';
import type { ProtocolDeps } from './deps.ts';
import { isJson, readInput } from './messages.ts';
import { answersTo, pendingOf } from './person.ts';
import { isEnd, lookAt } from './status.ts';

export type Begin = ReturnType<typeof createBegin>;

/** The run is at work from here on: what came before on its thread and in the log is not its own. */
export async function markStarted(
  t: Tx,
  run: ProtocolRun,
  from: { seq: number; checkpoint: number },
  values: Record<string, unknown>,
): Promise<void> {
  const thread = await t.protocol.thread(run.thread_id);
  await t.protocol.patchRun(run.run_id, {
    state: 'started',
    from_seq: from.seq,
    from_checkpoint: from.checkpoint,
    values_before: thread?.values ?? {},
  });
  await t.protocol.patchThread(run.thread_id, { values: { ...thread?.values, ...values } });
}

const here = async (t: Tx | Reads, thread_id: string) => ({
  seq: await t.events.last(),
  checkpoint: await t.checkpoints.last(thread_id),
});

/** A caller sees the question as an interrupt of its thread and answers with a run. */
const WAIT = 'wait' as const;

/** The run brings an answer, not a message. */
export const asksToResume = ({ request }: ProtocolRun): boolean =>
  isJson(request.command) && request.command.resume !== undefined;

export function createBegin({ store, tasks, queries, reviews }: ProtocolDeps, close: CloseRun) {
  const { reads } = store;

  /** Closes the run in whose place the next one goes on, as it stands at this moment. */
  async function closeBefore(t: Tx, before: ProtocolRun, next: ProtocolRun): Promise<void> {
    const row = await t.protocol.run(before.run_id);
    if (row?.state !== 'started') return;
    const { status, open, error, reason } = await lookAt(t, row);
    if (!open && isEnd(status)) return close(t, row, { status, error, reason });
    // One that waits for a person has ended for its caller; the next one brings the answer, or goes on without.
    const why = isEnd(status) || asksToResume(next) ? null : `run ${next.run_id} took its place`;
    await close(t, row, { status: 'interrupted', reason: why, error: null });
  }

  async function task(run: ProtocolRun, before: ProtocolRun | null): Promise<void> {
    const { messages, text, extras } = readInput(run.request.input);
    const { run_id, thread_id } = run;
    if (await reads.tasks.get(thread_id)) {
      await tasks.update(thread_id, text, {
        run_id,
        messages,
        async with(t) {
          if (before) await closeBefore(t, before, run);
          await markStarted(t, run, await here(t, thread_id), extras);
        },
      });
      return;
    }
    // Nothing of it is in the log yet, and nobody else writes on its thread.
    const from = await here(reads, thread_id);
    const ids = { task_id: thread_id, run_id };
    const ask = { subagent_type: run.assistant, description: text, ids, messages, review: WAIT };
    await tasks.start(ask, (t) => markStarted(t, run, from, extras));
  }

  async function query(run: ProtocolRun, before: ProtocolRun | null): Promise<void> {
    const { messages, text, extras } = readInput(run.request.input);
    const { thread_id } = run;
    const more = messages.slice(0, -1);
    const known = await reads.queries.get(thread_id);
    const started = async (t: Tx): Promise<void> => {
      if (before) await closeBefore(t, before, run);
      await markStarted(t, run, await here(t, thread_id), extras);
      if (!known || more.length === 0) return;
      const { next_step } = await t.checkpoints.thread(thread_id);
      const row = { thread_id, run_id: thread_id, step: next_step, messages: more };
      await t.checkpoints.append(row);
    };
    if (!known) {
      const ask = { input: text, query_id: thread_id, before: more };
      await queries.create(ask, { review: WAIT }, started);
      return;
    }
    // The main agent has no second wind within a turn: the turn ends, and the next one begins with the message.
    if (before && (await lookAt(reads, before)).open) await stop(before, 'another run took over');
    await queries.message(thread_id, text, started);
  }

  /** The answer to what the thread waits for: what had asked goes on, and is this run from now on. */
  async function answer(run: ProtocolRun, before: ProtocolRun | null): Promise<void> {
    const { resume } = run.request.command as { resume: unknown };
    const answers = answersTo(await pendingOf(reads, run), resume);
    const last = answers.pop();
    if (!last) throw new AppError('bad_request', 'command.resume answers none of the questions');
    const by = 'agent protocol';
    for (const { id, decision } of answers) await reviews.decide(id, decision, by);
    await reviews.decide(last.id, last.decision, by, async (t) => {
      if (before) await closeBefore(t, before, run);
      await t.protocol.patchRun(run.run_id, { work_id: before?.work_id ?? run.run_id });
      await markStarted(t, run, await here(t, run.thread_id), {});
    });
  }

  const stop = async ({ assistant, thread_id }: ProtocolRun, reason: string): Promise<void> => {
    if (assistant === MAIN) await queries.cancel(thread_id, reason);
    else await tasks.cancel(thread_id, reason);
  };

  return {
    /** `before`: the run in whose place it goes on, whatever that one is doing. */
    begin(run: ProtocolRun, before: ProtocolRun | null): Promise<void> {
      if (asksToResume(run)) return answer(run, before);
      return run.assistant === MAIN ? query(run, before) : task(run, before);
    },
    /** Stops the work on the thread. AppError conflict when it has ended already. */
    stop,
  };
}
