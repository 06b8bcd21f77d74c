// self-branch: after the first round of tools of a turn, and again when the work has grown heavy, main itself decides
// whether the parts of the request go to branches. Runs them as tasks through the one spawn and answers with what they
// made. Decides by branching/ alone; every decision is stored, taken or not.
import type { Answered, Middleware, RunContext } from '../agent/middleware.ts';
import { failedWith, GOAL } from '../agent/outcome.ts';
import {
  atCheckpoint,
  type BranchNote,
  type Merged,
  mergeBranches,
  type Prediction,
  payOff,
  pointsScore,
  ratioScore,
  type Trigger,
  workIn,
} from '../branching/index.ts';
import type { Clock, Log, Store } from '../domain/ports.ts';
import type { LoopRun, Query } from '../domain/query.ts';
import { detectLanguage } from '../language/detect.ts';
import type { Tasks } from '../tasks/index.ts';
import {
  type BranchSettings,
  type DecisionAsk,
  type Made,
  makeDecision,
  turnOf,
} from './branch-decision.ts';
import { type Decided, type Past, pastOf, tellDecision, tellEnd } from './branch-log.ts';
import { type Branched, runBranches } from './run-branches.ts';

export type SelfBranchDeps = {
  store: Store;
  /** For writes that go no further before they are stored. */
  patientStore: Tasks['patientStore'];
  tasks: Pick<Tasks, 'counts' | 'stopping'>;
  settings: BranchSettings;
  may_start: readonly string[];
  max_depth: number;
  clock: Clock;
  log: Log;
};

export function createSelfBranch(deps: SelfBranchDeps) {
  const { store, patientStore, tasks, settings, may_start, max_depth, clock, log } = deps;

  async function decideNow(ctx: RunContext, ask: DecisionAsk): Promise<Made> {
    const { query_id } = ask.query;
    const { max, held } = tasks.counts();
    const stopping = tasks.stopping.closed() || tasks.stopping.has(query_id);
    return makeDecision(ctx, ask, {
      settings,
      may_start,
      max_depth,
      nodes: (await store.reads.subagents.ofQuery(query_id)).length + 1,
      slots_free: Math.max(0, max - held),
      paused: stopping ? 'nothing new starts now' : null,
      now_ms: clock.now().getTime(),
    });
  }

  /** Notes of the branches, so that none of them is lost. */
  async function notesOf(ctx: RunContext, branched: Branched): Promise<BranchNote[]> {
    const answer = await ctx.host.brain({ op: 'query', query: null, branch: null });
    if (!answer.ok || answer.op !== 'query') return [];
    return answer.notes.flatMap(({ branch, kind, note }) => {
      const index = branched.tasks.findIndex((task) => task?.task_id === branch);
      return index >= 0 && kind === 'note' ? [{ index, note }] : [];
    });
  }

  function settlementOf(
    run_id: string,
    merged: Merged,
    branched: Branched,
    prediction: Prediction,
  ) {
    const ran = branched.tasks.flatMap((task) =>
      task
        ? {
            started_ms: Date.parse(task.created_at),
            ended_ms: Date.parse(task.updated_at),
            tokens: task.usage.input_tokens + task.usage.output_tokens,
            // Four characters are about one token; each of its steps reads them again.
            base_tokens: Math.round(task.description.length / 4),
            steps: task.usage.model_calls,
          }
        : [],
    );
    const { status, branch_ids, warnings } = merged;
    const payoff = payOff(ran, { ms: 0, tokens: 0 });
    return {
      run_id,
      status,
      branch_ids: branch_ids.filter((id) => id !== ''),
      warnings,
      prediction,
      payoff,
    };
  }

  async function carryOut(
    ctx: RunContext,
    query: Query,
    data: Decided,
    past: Past,
  ): Promise<Answered | null> {
    const { trigger, run_id, branches, prediction } = data;
    const branched = await runBranches(ctx, store.reads, branches, trigger);
    if (typeof branched === 'string') {
      log.warn({ query_id: query.query_id, run_id, why: branched }, 'no branch could be started');
      const end = { state: 'given_up' as const, run_id, why: branched };
      await patientStore.tx((t) => tellEnd(t, query.query_id, trigger, end));
      past.given_up.add(trigger);
      return null;
    }
    const merged = mergeBranches(
      branched.results,
      detectLanguage(query.input),
      await notesOf(ctx, branched),
    );
    if (!past.settled.has(trigger) && prediction) {
      const settled = settlementOf(run_id, merged, branched, prediction);
      await patientStore.tx((t) =>
        tellEnd(t, query.query_id, trigger, { state: 'settled', data: settled }),
      );
      past.settled.add(trigger);
    }
    if (merged.status === 'completed') return { text: merged.text, ending: GOAL };
    const why = merged.warnings.join('; ');
    const failed = merged.status === 'failed';
    return {
      text: merged.text,
      ending: failedWith(failed ? 'error' : 'partial', 'model_error', why),
    };
  }

  return function selfBranch(query: Query, loop: LoopRun): Middleware {
    const { query_id } = query;
    const { run_id } = loop;
    let past: Past | null = null;
    return {
      name: 'self-branch',
      async afterTools(ctx) {
        const { request, rounds, answered } = turnOf(ctx.messages);
        if (answered || rounds === 0) return null;
        past ??= await pastOf(store, query_id, run_id);
        const { given_up } = past;
        // An interruption came after the decision: it is carried out, not made again.
        const open = past.decided.find((d) => d.branched && !given_up.has(d.trigger));
        if (open) return carryOut(ctx, query, open, past);
        const trigger: Trigger = rounds === 1 ? 'first_round' : 'checkpoint';
        if (past.decided.some((d) => d.trigger === trigger)) return null;
        const work = workIn(ctx.messages, 'turn');
        const { steps, usage, compacted } = ctx.spent();
        const spent = { usage, compressed: compacted };
        const scores = { ratio: ratioScore(work, settings), points: pointsScore(work, spent) };
        if (trigger === 'checkpoint' && !atCheckpoint(scores, steps, ctx.limits.max_iterations))
          return null;
        const { said, data } = await decideNow(ctx, {
          query,
          loop,
          request,
          trigger,
          past,
          scores,
          work,
        });
        await patientStore.tx((t) => tellDecision(t, query_id, data, said));
        past.decided.push(data);
        return said.branch ? carryOut(ctx, query, data, past) : null;
      },
    };
  };
}
export type SelfBranch = ReturnType<typeof createSelfBranch>;
