// A run's road back to main over loopback HTTP. Every call has a deadline; what main has not acknowledged is
// sent again until the lifeline ends. Never decides anything about the run, except that a fenced one is over.
import type { Agent } from 'node:http';
import type { BrainAnswer } from '../domain/brain.ts';
import { AppError } from '../domain/errors.ts';
import type { MemoryAnswer } from '../domain/memory.ts';
import type { ModelChunk, ModelRequest } from '../domain/message.ts';
import type { Log } from '../domain/ports.ts';
import type { AskAnswer, AskCall } from '../domain/review.ts';
import type { Progress, RunHost, TaskAnswer, TaskCall } from '../domain/run.ts';
import { createMainCalls } from './main-calls.ts';
import { lines } from './ndjson.ts';
import { INTERNAL, MESSAGE_LIMIT } from './protocol.ts';

export type RemoteHostDeps = {
  main_url: string;
  run_token: string;
  /** Shared by all runs of the process; keep-alive. */
  agent: Agent;
  /** Aborted when main is gone: nothing is sent or retried after it. */
  lifeline: AbortSignal;
  /** Milliseconds to wait after failed attempt n (from 0). */
  pause: (attempt: number) => number;
  /** Main does not know this run (any more): stop quietly. Called at most once. */
  onFenced: (why: string) => void;
  log: Log;
};

/** One answer of main to a wait comes within this; longer waits are several requests. */
const WAIT_SLICE_MS = 25_000;
const PROGRESS_EVERY_MS = 1_000;
const RETAKE_MS = 30_000;

export function createRemoteHost(deps: RemoteHostDeps): RunHost {
  const calls = createMainCalls(deps);
  return {
    model: (request, signal) => streamModel(calls, request, signal),
    // 30 s: a commit waits for the disk, which may be slow or full for a while.
    step: (delta, receipts) =>
      calls.json(INTERNAL.steps, { delta, receipts }, { deadline_ms: 30_000 }).then(nothing),
    toolStarted: (start) =>
      calls.json(INTERNAL.tools, { start }, { deadline_ms: 30_000 }).then(nothing),
    tasks: (call, signal) => askTasks(calls, call, signal),
    policy: (note) => calls.json(INTERNAL.policy, { note }, { deadline_ms: 30_000 }).then(nothing),
    // 30 s: besides the disk, a search may wait for a model of embeddings.
    memory: async (call) =>
      (await calls.json(INTERNAL.memory, { call }, { deadline_ms: 30_000 })) as MemoryAnswer,
    brain: async (call) =>
      (await calls.json(INTERNAL.brain, { call }, { deadline_ms: 30_000 })) as BrainAnswer,
    ask: (call, signal) => askPerson(calls, call, signal),
    progress: createProgress(calls),
    result: (outcome, last) =>
      calls.json(INTERNAL.result, { outcome, last }, { deadline_ms: 30_000 }).then(nothing),
  };
}
const nothing = (): void => {};
type Calls = ReturnType<typeof createMainCalls>;

async function* streamModel(
  calls: Calls,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  const res = await calls.open(INTERNAL.model, { request }, signal);
  let ended = false;
  try {
    for await (const line of lines(res, MESSAGE_LIMIT)) {
      if (line === '') continue;
      const chunk = JSON.parse(line) as ModelChunk;
      ended = chunk.type === 'end' || chunk.type === 'error';
      yield chunk;
      if (ended) return;
    }
  } catch (error) {
    if (signal.aborted) throw new AppError('cancelled', 'the model call was cancelled');
    ended = true;
    res.destroy();
    yield {
      type: 'error',
      code: 'model_error',
      message: `the stream from main broke: ${text(error)}`,
    };
    return;
  } finally {
    // A reader that stops early closes the request, and main cancels the call.
    if (!ended) res.destroy();
    else res.resume();
  }
  yield { type: 'error', code: 'model_error', message: 'the stream from main ended too early' };
}

async function askTasks(calls: Calls, call: TaskCall, signal: AbortSignal): Promise<TaskAnswer> {
  const send = async (body: TaskCall, wait_ms: number): Promise<TaskAnswer> =>
    (await calls.json(
      INTERNAL.tasks,
      { call: body },
      { deadline_ms: 15_000 + wait_ms, signal },
    )) as TaskAnswer;
  if (call.op !== 'check' && call.op !== 'join') return send(call, 0);
  const until = performance.now() + Math.max(0, call.wait_ms);
  for (;;) {
    const wait_ms = Math.min(WAIT_SLICE_MS, Math.max(0, Math.round(until - performance.now())));
    const asked = performance.now();
    const answer = await send({ ...call, wait_ms }, wait_ms);
    // An answer before the slice was over has something to say.
    const early = performance.now() - asked < wait_ms * 0.9;
    if (early || !answer.ok || performance.now() >= until) return answer;
  }
}

/** A person takes longer than any request: whoever asks gets `pending` after a slice and asks again. */
async function askPerson(calls: Calls, given: AskCall, signal: AbortSignal): Promise<AskAnswer> {
  const wait_ms = Math.min(WAIT_SLICE_MS, given.wait_ms);
  const call = { ...given, wait_ms };
  // Besides the wait: the disk, and the slot that the run takes back before it is answered.
  const deadline_ms = RETAKE_MS + wait_ms;
  return (await calls.json(INTERNAL.ask, { call }, { deadline_ms, signal })) as AskAnswer;
}

/** At most one call a second, the latest word wins, failures are nobody's problem. */
function createProgress(calls: Calls): (progress: Progress) => void {
  let latest: Progress | null = null;
  let resting = false;
  const send = (): void => {
    if (latest === null || resting) return;
    const body = latest;
    latest = null;
    resting = true;
    setTimeout(() => {
      resting = false;
      send();
    }, PROGRESS_EVERY_MS).unref();
    calls.once(INTERNAL.progress, { progress: body }, 5_000).catch(nothing);
  };
  return (progress) => {
    latest = progress;
    send();
  };
}

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));
