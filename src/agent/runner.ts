// The runs of one process: started by envelope, steered, cancelled, reported once each.
// Never forgets that a run was here, so that a repeated start does not work twice.
import { AppError } from '../domain/errors.ts';
import type { Clock, Log } from '../domain/ports.ts';
import type { Envelope, RunHost, RunOutcome, StepDelta } from '../domain/run.ts';
import { headOf } from '../domain/text.ts';
import type { Tool } from '../domain/tool.ts';
import type { AgentRun } from './agent-run.ts';
import { roleChain } from './chains.ts';
import { workAgent } from './loop.ts';
import { assemblePrompt } from './prompt.ts';
import { createSteerQueue, type SteerQueue } from './steer-queue.ts';

export type RunnerDeps = {
  tools: Tool[];
  hostFor: (envelope: Envelope) => RunHost;
  /** Environment markers that commands inherit. */
  markers: Record<string, string>;
  /** A cancel that takes longer rejects with server_hung. */
  cancelDeadlineMs: number;
  log: Log;
  clock: Clock;
};

export type Runner = {
  /** A repetition is a no-op. Throws conflict for a known run id with another token. */
  start(envelope: Envelope): void;
  /**
   * Resolves when the model call and every tool of the run are gone; rejects with server_hung. A run that was not
   * started yet never will be.
   */
  cancel(run_id: string, reason: string): Promise<void>;
  steer(run_id: string, text: string): 'delivered' | 'missed';
  status(run_id: string): { status: string } | null;
  active(): number;
  /**
   * Leaves every run where it stands, without an outcome: main goes on from its last checkpoint. Runs get `grace_ms`
   * to reach one, then model calls and tools are aborted; at most twice the cancel deadline after it this resolves.
   */
  close(grace_ms?: number): Promise<void>;
};

type Entry = {
  /** null: cancelled before it was started. */
  token: string | null;
  abort: AbortController;
  leave: AbortController;
  steer: SteerQueue;
  status: 'running' | 'left' | RunOutcome['status'];
  /** Model call and tools are gone. */
  gone: Promise<void>;
  /** The outcome, or where the run was left, is with main or could not be brought there. */
  reported: Promise<void>;
};

const newEntry = (token: string | null): Entry => ({
  token,
  abort: new AbortController(),
  leave: new AbortController(),
  steer: createSteerQueue(),
  status: 'running',
  gone: Promise.resolve(),
  reported: Promise.resolve(),
});

/** A cancelled run has this long to say what it had; nobody waits longer for words. */
const LAST_WORDS_MS = 500;
/** Ended runs that are remembered. */
const REMEMBERED = 1_000;
const DELEGATE = /_async_tasks?$/;

/** The envelope's tools; an agent that may start nobody has none of the async tools, forged or not. */
export function toolsFor(envelope: Envelope, tools: readonly Tool[]): Tool[] {
  const { spawn } = envelope;
  const may = spawn.status !== 'LEAF_NODE' && spawn.may_start.length > 0;
  return tools.filter((t) => envelope.tools.includes(t.name) && (may || !DELEGATE.test(t.name)));
}

function agentRunOf(envelope: Envelope, entry: Entry, deps: RunnerDeps): AgentRun {
  const { run_id, role, model, messages, workdir, limits, first_step, begun, spawn } = envelope;
  const tools = toolsFor(envelope, deps.tools);
  const names = tools.map((t) => t.name);
  const delegates = names.includes('start_async_task');
  const { prompt, memory_block, output_schema, language } = envelope;
  return {
    ...{ run_id, role, model, messages, workdir, language, limits, first_step, begun, tools },
    prompt: assemblePrompt({
      prompt,
      role,
      model,
      workdir,
      spawn,
      tools: names,
      output_schema,
      language,
    }),
    chain: roleChain({
      ...{ memory_block, history: messages, delegates },
      shaped: output_schema !== null,
    }),
    host: deps.hostFor(envelope),
    signal: entry.abort.signal,
    leave: entry.leave.signal,
    steering: entry.steer,
    markers: deps.markers,
    log: deps.log,
    clock: deps.clock,
  };
}

/** Main has seen the report and will not have it as it is; another try would bring the same. */
const REFUSED: ReadonlySet<string> = new Set(['body_too_large', 'bad_request', 'internal']);
const KEPT_OF_REFUSED = 30_000;

/** A report that cannot be taken is followed by one that can: nobody is left waiting for an end. */
async function report(host: RunHost, outcome: RunOutcome, last: StepDelta | null): Promise<void> {
  try {
    await host.result(outcome, last);
  } catch (error) {
    if (!(error instanceof AppError) || !REFUSED.has(error.code)) throw error;
    const message = `the result could not be handed in: ${error.message}`;
    const failure = { code: error.code, message, reasons: [message] };
    const text = headOf(outcome.text, KEPT_OF_REFUSED);
    const failed = { status: 'failed', end_reason: 'error', error: failure } as const;
    await host.result({ ...outcome, ...failed, text }, null);
  }
}

/** Rejects with server_hung after `ms`. */
async function within(ms: number, work: Promise<void>, what: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new AppError('server_hung', `${what} did not end within ${ms} ms`));
    timer = setTimeout(fail, ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function createRunner(deps: RunnerDeps): Runner {
  const runs = new Map<string, Entry>();
  const working = (): Entry[] => [...runs.values()].filter((e) => e.status === 'running');

  function forget(): void {
    for (const [id, entry] of runs) {
      if (runs.size <= REMEMBERED) return;
      if (entry.status !== 'running') runs.delete(id);
    }
  }

  function launch(envelope: Envelope, entry: Entry): void {
    const run = agentRunOf(envelope, entry, deps);
    const work = workAgent(run);
    entry.gone = work.then(() => {});
    entry.reported = work
      .then(async ({ outcome, last }) => {
        if (entry.leave.signal.aborted && outcome.status === 'cancelled') {
          if (last) await run.host.step(last, []);
          return 'left' as const;
        }
        await report(run.host, outcome, last);
        return outcome.status;
      })
      .catch((error) => {
        deps.log.warn({ run_id: run.run_id, err: error }, 'the outcome did not reach main');
        return 'failed' as const;
      })
      .then((status) => {
        entry.status = status;
        forget();
      });
  }

  async function cancel(run_id: string, reason: string): Promise<void> {
    const entry = runs.get(run_id);
    if (!entry) {
      // Its start is on the way, and must find it ended.
      runs.set(run_id, { ...newEntry(null), status: 'cancelled' });
      return forget();
    }
    entry.steer.end();
    entry.abort.abort(new AppError('cancelled', reason));
    await within(deps.cancelDeadlineMs, entry.gone, `run ${run_id}`);
    // Its last words are on their way to main: whoever cancels finds them there.
    await within(LAST_WORDS_MS, entry.reported, 'the report').catch(() => {});
  }

  return {
    start(envelope) {
      const { run_id, run_token: token } = envelope;
      const known = runs.get(run_id);
      if (known && known.token !== null && known.token !== token)
        throw new AppError('conflict', `run ${run_id} is known with another token`);
      if (known) return;
      const entry = newEntry(token);
      launch(envelope, entry);
      runs.set(run_id, entry);
    },
    cancel,
    steer: (run_id, text) => runs.get(run_id)?.steer.push(text) ?? 'missed',
    status(run_id) {
      const entry = runs.get(run_id);
      return entry ? { status: entry.status } : null;
    },
    active: () => working().length,
    async close(grace_ms = 0) {
      const open = working();
      const why = new AppError('cancelled', 'the server is stopping; the run goes on later');
      for (const entry of open) entry.leave.abort(why);
      const reports = Promise.all(open.map((e) => e.reported)).then(() => {});
      if (grace_ms > 0) await within(grace_ms, reports, 'a run').catch(() => {});
      for (const entry of open) {
        entry.steer.end();
        entry.abort.abort(why);
      }
      const gone = Promise.all(open.map((e) => e.gone)).then(() => {});
      await within(deps.cancelDeadlineMs, gone, 'a run').catch(() => {});
      await within(deps.cancelDeadlineMs, reports, 'the last report').catch(() => {});
    },
  };
}
