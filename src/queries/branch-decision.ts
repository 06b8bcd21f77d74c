// One decision about branches: gathers the facts, asks branching/, and puts down everything that it was made from. Pure.
import type { RunContext } from '../agent/middleware.ts';
import {
  type Combination,
  type Decision,
  decide,
  type GateVerdict,
  partsFor,
  planBranches,
  predict,
  readGate,
  type Scores,
  type Trigger,
  type Work,
} from '../branching/index.ts';
import type { Message } from '../domain/message.ts';
import type { LoopRun, Query } from '../domain/query.ts';
import type { Decided, Past } from './branch-log.ts';

export type BranchSettings = {
  fan_out: number;
  /** Of the ratio scheme, 0 to 1. */
  threshold: number;
  min_tool_calls: number;
  combine: Combination;
  max_nodes: number;
};

export type DecisionAsk = {
  query: Query;
  loop: LoopRun;
  /** The message of the user that the turn answers. */
  request: string;
  trigger: Trigger;
  past: Past;
  scores: Scores;
  work: Work;
};
/** What main knows at this moment. */
export type Surroundings = {
  settings: BranchSettings;
  may_start: readonly string[];
  max_depth: number;
  nodes: number;
  slots_free: number;
  paused: string | null;
  now_ms: number;
};
export type Made = { said: Decision; data: Decided };

/** The turn that the messages end with: from the last message of the user on. */
export function turnOf(messages: readonly Message[]): {
  request: string;
  rounds: number;
  answered: boolean;
} {
  const from = messages.findLastIndex((m) => m.role === 'user' && m.kind !== 'notice');
  const turn = messages.slice(Math.max(0, from));
  const spoken = turn.filter((m) => m.role === 'assistant');
  const calls = (m: (typeof spoken)[number]): number => m.tool_calls?.length ?? 0;
  return {
    request: turn[0]?.role === 'user' ? turn[0].content : '',
    rounds: spoken.filter((m) => calls(m) > 0).length,
    answered: spoken.some((m) => calls(m) === 0 && m.content.trim() !== ''),
  };
}

function verdictOf(
  ctx: RunContext,
  ask: DecisionAsk,
  around: Surroundings,
  gate: GateVerdict,
  parts: number,
): Decision {
  const { query, trigger, past, scores, work } = ask;
  const { settings, may_start, max_depth, paused, slots_free, nodes } = around;
  const { max_iterations } = ctx.limits;
  return decide({
    mode: query.options.branch,
    trigger,
    already_branched: past.decided.some((d) => d.branched && !past.given_up.has(d.trigger)),
    already_delegating: work.delegated,
    branch_level: 0,
    // Branches are tasks of roles, which do not branch: only the main agent does.
    branch_depth: 1,
    can_spawn: max_depth > 0 && may_start.length > 0,
    paused,
    gate,
    parts,
    scores,
    combine: settings.combine,
    slots_free,
    nodes,
    max_nodes: settings.max_nodes,
    steps_left: max_iterations > 0 ? max_iterations - ctx.spent().steps : null,
    fan_out: settings.fan_out,
  });
}

export function makeDecision(ctx: RunContext, ask: DecisionAsk, around: Surroundings): Made {
  const { query, loop, request, trigger, scores } = ask;
  const mode = query.options.branch;
  const gate = readGate(request);
  const parts = partsFor(request, gate, mode);
  const first = verdictOf(ctx, ask, around, gate, parts.length);
  const plan = planBranches({
    request,
    parts,
    mode: 'parallel',
    constraints: gate.context,
    workdir: query.workdir,
    may_start: around.may_start,
    fan_out: Math.max(first.branches, 1),
  });
  // Parts that would all change the same files do need each other, whatever the words say.
  const said: Decision =
    first.branch && !plan.ok
      ? { branch: false, reason: 'gate', detail: `${plan.reason}: ${plan.detail}`, branches: 0 }
      : first;
  const branches = said.branch && plan.ok ? plan.branches : [];
  const { steps, usage } = ctx.spent();
  const ms = Math.max(0, around.now_ms - Date.parse(loop.created_at));
  const soFar = { steps, ms, tokens: usage.input_tokens + usage.output_tokens };
  const data: Decided = {
    run_id: loop.run_id,
    trigger,
    branched: said.branch,
    reason: said.reason,
    mode,
    score: scores.ratio.score,
    scores,
    gate: { open: gate.open, mode: gate.mode, reason: gate.reason },
    parts: said.branch ? branches.map(({ goal }) => goal) : parts,
    steps: gate.steps,
    branches,
    prediction: said.branch
      ? predict(
          soFar,
          branches.map(({ after }) => after),
        )
      : null,
  };
  return { said, data };
}
