// The host of a turn: what the main agent may ask of main, with the same services as every other agent.
import type { AgentMemory } from '../domain/brain.ts';
import { AppError } from '../domain/errors.ts';
import type { Log, ModelGateway, Store } from '../domain/ports.ts';
import type { LoopRun, Query } from '../domain/query.ts';
import type { AgentReviews } from '../domain/review.ts';
import { type RunHost, refusalOf } from '../domain/run.ts';
import type { Tasks } from '../tasks/index.ts';
import { createFallbackNote } from './fallback-model.ts';
import { patchLoop } from './loop-run.ts';
import type { Mailbox } from './mailbox.ts';
import type { Standing } from './standing.ts';

export type TurnHostDeps = {
  store: Store;
  tasks: Tasks;
  gateway: ModelGateway;
  memory: AgentMemory;
  reviews: AgentReviews;
  standing: Standing;
  log: Log;
  max_depth: number;
  may_start: readonly string[];
};

export function createTurnHost(deps: TurnHostDeps) {
  const { store, tasks, gateway, memory, reviews, standing, log } = deps;

  return function hostOf(query: Query, loop: LoopRun, mailbox: Mailbox): RunHost {
    const { query_id } = query;
    const { run_id } = loop;
    const ids = { query_id, task_id: null, agent_id: null, role: 'main' };
    const record = tasks.recorder({ ids, thread_id: query_id, run_id });
    const caller = { ...ids, run_id };
    const parent = {
      name: 'main',
      query,
      agent: null,
      at: { depth: 0, max_depth: deps.max_depth },
      may_start: deps.may_start,
    };
    let noted = mailbox.taken();
    /** What the turn has taken is on the thread with this write: a restart does not bring it again. */
    async function withTaken(write: () => Promise<void>): Promise<void> {
      const taken = mailbox.taken();
      await write();
      if (taken === noted) return;
      noted = taken;
      await store
        .soon((t) => patchLoop(t, loop, { metadata: { taken } }))
        .catch((err: unknown) => log.warn({ err, query_id }, 'a message may be told twice'));
    }
    const noteFallback = createFallbackNote(store, loop);
    return {
      model: (request, signal) => noteFallback(gateway.call(request, caller, signal)),
      step: (delta, receipts) => withTaken(() => record.step(delta, receipts)),
      toolStarted: (start) => withTaken(() => record.toolStarted(start)),
      policy: record.policy,
      memory: (call) => tasks.untilStored(() => memory.memory(caller, call)),
      brain: (call) => tasks.untilStored(() => memory.brain(caller, call)),
      async tasks(call, signal) {
        try {
          const act = () =>
            tasks.untilStored(() => tasks.act({ parent, run_id: loop.run_id }, call, signal));
          const waits = 'wait_ms' in call && call.wait_ms > 0;
          return await (waits ? standing.joining(query_id, act) : act());
        } catch (error) {
          if (error instanceof AppError) return refusalOf(error);
          throw error;
        }
      },
      ask: (call, signal) => tasks.untilStored(() => reviews.ask(caller, call, signal)),
      progress({ activity }) {
        void store.soon((t) => patchLoop(t, loop, { current_step: activity })).catch(() => {});
      },
      // The turn writes its own end, together with the query's.
      async result() {},
    };
  };
}
