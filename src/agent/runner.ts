// The runs of one process: started by envelope, steered, cancelled, reported once each.
// Never forgets that a run was here, so that a repeated start does not work twice.
import { AppError } from '../domain/errors.ts';
import type { Clock, Log } from '../domain/ports.ts';
import type { Envelope, RunHost, RunOutcome } from '../domain/run.ts';
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
  /** Resolves when the model call and every tool of the run are gone; rejects with server_hung. */
  cancel(run_id: string, reason: string): Promise<void>;
  steer(run_id: string, text: string): 'delivered' | 'missed';
  status(run_id: string): { status: string } | null;
  active(): number;
  /** Cancels everything and waits for the reports, at most twice the cancel deadline. */
  close(): Promise<void>;
};

type Entry = {
  token: string;
  abort: AbortController;
  steer: SteerQueue;
  status: 'running' | RunOutcome['status'];
  /** Model call and tools are gone. */
  gone: Promise<void>;
  /** The outcome is with main, or could not be brought there. */
  reported: Promise<void>;
};

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
  const { run_id, role, model, messages, workdir, limits, first_step, spawn } = envelope;
  const tools = toolsFor(envelope, deps.tools);
  const names = tools.map((t) => t.name);
  const delegates = names.includes('start_async_task');
  const { prompt, memory_block } = envelope;
  return {
    ...{ run_id, role, model, messages, workdir, limits, first_step, tools },
    prompt: assemblePrompt({ prompt, role, model, workdir, spawn, tools: names }),
    chain: roleChain({ memory_block, history: messages, delegates }),
    host: deps.hostFor(envelope),
    signal: entry.abort.signal,
    steering: entry.steer,
    markers: deps.markers,
    log: deps.log,
    clock: deps.clock,
  };
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
        await run.host.result(outcome, last);
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
    if (!entry) return;
    entry.steer.end();
    entry.abort.abort(new AppError('cancelled', reason));
    await within(deps.cancelDeadlineMs, entry.gone, `run ${run_id}`);
  }

  return {
    start(envelope) {
      const { run_id, run_token: token } = envelope;
      const known = runs.get(run_id);
      if (known && known.token !== token)
        throw new AppError('conflict', `run ${run_id} is known with another token`);
      if (known) return;
      const entry: Entry = {
        token,
        abort: new AbortController(),
        steer: createSteerQueue(),
        status: 'running',
        gone: Promise.resolve(),
        reported: Promise.resolve(),
      };
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
    async close() {
      const open = working();
      const ends = [...runs].map(([id]) => cancel(id, 'the server is shutting down'));
      await Promise.allSettled(ends);
      const reports = Promise.all(open.map((e) => e.reported)).then(() => {});
      await within(deps.cancelDeadlineMs, reports, 'the last report').catch(() => {});
    },
  };
}
