// What one run of an agent is given, and what it remembers on its way.
import { realpath } from 'node:fs/promises';
import type { ReplyLanguage } from '../domain/language.ts';
import { type Message, noUsage, type Usage } from '../domain/message.ts';
import type { Clock, Log } from '../domain/ports.ts';
import type { Begun, RunHost, RunLimits, StepDelta, ToolReceipt } from '../domain/run.ts';
import { repairThread } from '../domain/thread.ts';
import type { Tool } from '../domain/tool.ts';
import { type BudgetSaid, budgetSaid } from './budget-note.ts';
import { usedIds } from './call-ids.ts';
import { type Room, roomOf } from './compaction/room.ts';
import { type Chain, composeChain, type Middleware, type RunContext } from './middleware.ts';
import { createProgressGuard, type ProgressGuard } from './progress-guard.ts';
import type { RunSignal } from './run-signal.ts';
import type { Steering } from './steer-queue.ts';

export type AgentRun = {
  run_id: string;
  role: string;
  /** `provider:model`, `echo`, `offline` or `default`. */
  model: string;
  /** The whole system prompt (see assemblePrompt). */
  prompt: string;
  /** The thread so far, this run's new messages last. */
  messages: readonly Message[];
  workdir: string;
  /** What the final text has to be written in; null: nobody can tell. */
  language: ReplyLanguage | null;
  /** Exactly the tools that the agent may use. */
  tools: readonly Tool[];
  chain: readonly Middleware[];
  host: RunHost;
  limits: RunLimits;
  /** Aborted to cancel the run. */
  signal: AbortSignal;
  /** Aborted when the run is to go no further than its next checkpoint: main resumes it elsewhere. */
  leave?: AbortSignal;
  steering: Steering;
  first_step: number;
  /** Model steps of the run before it was resumed. */
  begun: Begun;
  /** Environment markers that every command of the run inherits. */
  markers: Readonly<Record<string, string>>;
  log: Log;
  clock: Clock;
};

export type RunState = {
  run: AgentRun;
  ctx: RunContext;
  chain: Chain;
  signal: AbortSignal;
  untimed: RunSignal['untimed'];
  messages: Message[];
  /** Messages and outcomes that no call to main has carried yet. */
  pending: { messages: Message[]; delivered: string[] };
  step: number;
  iterations: number;
  usage: Usage;
  /** The last text of the agent. */
  text: string;
  notes: string[];
  ids: Set<string>;
  guard: ProgressGuard;
  budget: BudgetSaid;
  room: Room;
  nudged: boolean;
  /** Steps in a row in which no call could run as it was given, and what was wrong with the last one. */
  malformed: { steps: number; error: string };
};

export async function beginState(run: AgentRun, stop: RunSignal): Promise<RunState> {
  const { signal, untimed } = stop;
  const messages = repairThread(run.messages);
  const workdir = await realpath(run.workdir).catch(() => run.workdir);
  const pending = { messages: [] as Message[], delivered: [] as string[] };
  const notes: string[] = [];
  const { run_id, role, language, host, limits, log } = run;
  const model = { asked: run.model, answered: null };
  const state: RunState = {
    run,
    ctx: {
      ...{ run_id, role, workdir, language, host, signal, limits, log, model, messages },
      checkpoint: () => checkpoint(state),
      deliver: (ids) => void pending.delivered.push(...ids),
      note: (text) => void notes.push(text),
      spent: () => ({
        steps: state.iterations,
        usage: state.usage,
        compacted: state.room.count > 0,
      }),
    },
    chain: composeChain(run.chain),
    signal,
    untimed,
    messages,
    pending,
    step: run.first_step,
    iterations: run.begun.iterations,
    usage: noUsage(),
    text: '',
    notes,
    ids: usedIds(messages),
    guard: createProgressGuard(),
    // What an answer on the thread has heeded is not said again; what was lost with its answer is.
    budget: budgetSaid(run.begun.answers, limits.max_iterations),
    room: roomOf(run.limits, messages),
    nudged: false,
    malformed: { steps: 0, error: '' },
  };
  return state;
}

export function append(state: RunState, ...messages: Message[]): void {
  state.messages.push(...messages);
  state.pending.messages.push(...messages);
}

/** The step that has to be carried now, or null when there is nothing new. */
export function openDelta(state: RunState): StepDelta | null {
  const { messages, delivered } = state.pending;
  if (messages.length === 0 && delivered.length === 0) return null;
  return { step: state.step, messages: [...messages], delivered: [...delivered] };
}

/** Hands the open step to a call; it counts as carried only when the call has succeeded. */
export async function carry(
  state: RunState,
  call: (delta: StepDelta | null) => Promise<void>,
): Promise<void> {
  const delta = openDelta(state);
  await call(delta);
  if (!delta) return;
  state.step += 1;
  state.pending.messages.splice(0, delta.messages.length);
  state.pending.delivered.splice(0, delta.delivered.length);
}

/** Between two steps. A run that is to leave carries what is open and goes no further: throws. */
export async function mayLeave(state: RunState): Promise<void> {
  const { leave } = state.run;
  if (!leave?.aborted) return;
  await checkpoint(state);
  leave.throwIfAborted();
}

/** Carries the open step, if there is one, as a step of its own. */
export const checkpoint = (state: RunState, receipts: ToolReceipt[] = []): Promise<void> =>
  carry(state, async (delta) => {
    if (delta) await state.run.host.step(delta, receipts);
  });
