// The main agent: the same loop as every agent, with the main chain, the main prompt and the query's own thread.
import { once } from 'node:events';
import type { AgentRun } from '../agent/agent-run.ts';
import { mainChain } from '../agent/chains.ts';
import { workAgent } from '../agent/loop.ts';
import type { Middleware } from '../agent/middleware.ts';
import { assemblePrompt } from '../agent/prompt.ts';
import type { AgentMemory } from '../domain/brain.ts';
import { viewOf } from '../domain/compaction.ts';
import { depthStatus } from '../domain/depth.ts';
import type { Clock, Log, ModelGateway, Store } from '../domain/ports.ts';
import { MAIN } from '../domain/prompt-override.ts';
import type { LoopRun, Query } from '../domain/query.ts';
import type { AgentReviews } from '../domain/review.ts';
import { compactAt, type RunLimits, type RunOutcome } from '../domain/run.ts';
import { repairThread } from '../domain/thread.ts';
import type { Tool } from '../domain/tool.ts';
import { driftOf } from '../language/reply.ts';
import { languageOf } from './loop-run.ts';
import type { SelfBranch } from './self-branch.ts';
import type { MainRun } from './turn.ts';

export type MainAgentDeps = {
  store: Store;
  memory: AgentMemory;
  reviews: AgentReviews;
  tools: readonly Tool[];
  /** The whole prompt, with an addition that was made while the server runs. */
  prompt(addition: string | null): string;
  /** Model when the query names none: `provider:model`, `echo`, `offline` or `default`. */
  model: string;
  may_start: readonly string[];
  known_roles: readonly string[];
  max_depth: number;
  limits: Omit<RunLimits, 'compact'>;
  gateway: Pick<ModelGateway, 'context'>;
  /** What happens before a turn ends, with the final text at hand. */
  atEnd(query: Query, loop: LoopRun): Middleware;
  selfBranch: SelfBranch;
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
    const messages = viewOf(repairThread(thread.messages, new Set(started), '', answers));
    const model = query.options.model ?? deps.model;
    const { workdir } = query;
    const asked = messages.findLast((m) => m.role === 'user' && m.kind !== 'notice');
    const memory_block = await deps.memory.recall(query.query_id, async () => asked?.content ?? '');
    const revision = Number(loop.metadata.prompt_revision ?? 0);
    const added = await store.reads.prompts.asOf(MAIN, revision);
    const language = languageOf(loop);
    const names = tools.map((tool) => tool.name);
    const run: AgentRun = {
      run_id: loop.run_id,
      role: 'main',
      model,
      prompt: assemblePrompt({
        prompt: deps.prompt(added?.prompt ?? null),
        role: 'main',
        model,
        workdir,
        spawn,
        tools: names,
        language,
        output_schema: null,
      }),
      messages,
      workdir,
      language,
      tools,
      chain: [
        ...mainChain({
          memory_block,
          history: messages,
          may_start,
          known: deps.known_roles,
          background: query.options.background,
          reply: { asked: language, driftOf },
          atEnd: deps.atEnd(query, loop),
        }),
        deps.selfBranch(query, loop),
      ],
      host,
      limits: { ...limits, compact: compactAt(deps.gateway.context(model, 'main')) },
      signal,
      steering,
      first_step: thread.next_step,
      begun: {
        iterations: await store.reads.spend.iterationsOf(loop.run_id),
        answers: await store.reads.checkpoints.answers(loop.run_id),
      },
      markers,
      log,
      clock,
    };
    const { outcome, last } = await workAgent(run);
    if (last) await host.step(last, []);
    return outcome;
  };
}
