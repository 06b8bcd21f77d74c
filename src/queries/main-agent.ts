// The main agent: the same loop as every agent, with the main chain, the main prompt and the query's own thread.
import { once } from 'node:events';
import type { AgentRun } from '../agent/agent-run.ts';
import { mainChain } from '../agent/chains.ts';
import { workAgent } from '../agent/loop.ts';
import { assemblePrompt } from '../agent/prompt.ts';
import type { AgentMemory } from '../domain/brain.ts';
import { depthStatus } from '../domain/depth.ts';
import type { Clock, Log, Store } from '../domain/ports.ts';
import type { AgentReviews } from '../domain/review.ts';
import type { RunLimits, RunOutcome } from '../domain/run.ts';
import { repairThread } from '../domain/thread.ts';
import type { Tool } from '../domain/tool.ts';
import type { MainRun } from './turn.ts';

export type MainAgentDeps = {
  store: Store;
  memory: AgentMemory;
  reviews: AgentReviews;
  tools: readonly Tool[];
  prompt: string;
  /** Model when the query names none: `provider:model`, `echo`, `offline` or `default`. */
  model: string;
  may_start: readonly string[];
  known_roles: readonly string[];
  max_depth: number;
  limits: RunLimits;
  /** What its calls had made whose answer was lost when main ended, by call id. */
  answersLost(run_id: string): Promise<ReadonlyMap<string, string>>;
  /** Environment markers of everything that this instance starts. */
  markers: Readonly<Record<string, string>>;
  clock: Clock;
  log: Log;
};

const OF_MAIN = new Set(['start_async_task', 'ask_user']);

export function createMainAgent(deps: MainAgentDeps) {
  const { store, tools, may_start, max_depth, limits, markers, clock, log } = deps;
  const at = { depth: 0, max_depth };
  const spawn = { may_start, ...at, status: depthStatus(at) };

  /** What was asked before a restart is answered before the turn goes on. */
  async function answered(query_id: string, signal: AbortSignal): Promise<void> {
    const waits = deps.reviews.untilAnswered(query_id, null);
    if (!waits || signal.aborted) return;
    const stopped = new AbortController();
    const gone = once(signal, 'abort', { signal: stopped.signal }).catch(() => {});
    await Promise.race([waits, gone]);
    stopped.abort();
  }

  return async function runMain(main: MainRun): Promise<RunOutcome> {
    const { query, loop, host, signal, steering } = main;
    await answered(query.query_id, signal);
    const thread = await store.reads.checkpoints.thread(query.query_id);
    const open: { id: string; name: string }[] = [];
    const answers = new Map<string, string>();
    for (const { run_id } of await store.reads.loops.ofQuery(query.query_id)) {
      open.push(...(await store.reads.checkpoints.openCalls(run_id)));
      for (const [id, answer] of await deps.answersLost(run_id)) answers.set(id, answer);
    }
    // Its calls to main die with main: one that starts a task or asks a person, and has made nothing, had no effect.
    const started = open.filter(({ name }) => !OF_MAIN.has(name)).map(({ id }) => id);
    const messages = repairThread(thread.messages, new Set(started), '', answers);
    const model = query.options.model ?? deps.model;
    const { workdir } = query;
    const asked = messages.findLast((m) => m.role === 'user' && m.kind !== 'notice');
    const memory_block = await deps.memory.recall(query.query_id, async () => asked?.content ?? '');
    const names = tools.map((tool) => tool.name);
    const run: AgentRun = {
      run_id: loop.run_id,
      role: 'main',
      model,
      prompt: assemblePrompt({
        prompt: deps.prompt,
        role: 'main',
        model,
        workdir,
        spawn,
        tools: names,
      }),
      messages,
      workdir,
      tools,
      chain: mainChain({
        memory_block,
        history: messages,
        may_start,
        known: deps.known_roles,
        background: query.options.background,
      }),
      host,
      limits,
      signal,
      steering,
      first_step: thread.next_step,
      markers,
      log,
      clock,
    };
    const { outcome, last } = await workAgent(run);
    if (last) await host.step(last, []);
    return outcome;
  };
}
