// Whether an agent branches now: guards in a fixed order, each with a code. Pure; sets nothing, so asking again with the
// same facts answers the same.
import type { BranchMode } from '../domain/query.ts';
import type { GateVerdict } from './gate/verdict.ts';
import { type Combination, heavyEnough, pointsOf, type Scores, type Trigger } from './scores.ts';

/** Everything that a decision depends on. */
export type Facts = {
  mode: BranchMode;
  trigger: Trigger;
  /** This agent, in this turn. */
  already_branched: boolean;
  /** It has started tasks by itself. */
  already_delegating: boolean;
  /** How many branchings lie above the agent; 0 for the main agent. */
  branch_level: number;
  /** Branchings that may lie under each other: 1 = only the main agent branches. */
  branch_depth: number;
  /** The depth guard of the tree: false for a leaf. */
  can_spawn: boolean;
  /** Nothing new may be started: shutdown, a full disk, a tree that is being stopped. */
  paused: string | null;
  gate: GateVerdict;
  /** Parts that could become branches; under `always` also those of a closed gate. */
  parts: number;
  scores: Scores;
  combine: Combination;
  slots_free: number;
  /** Agents of the tree so far, and how many there may be. */
  nodes: number;
  max_nodes: number;
  /** Model steps that this agent has left; null = no limit. */
  steps_left: number | null;
  fan_out: number;
};

/** Reasons of a decision with their words. */
export const BRANCH_REASONS = {
  branched: 'it branches',
  never: 'branch = never',
  already_branched: 'it has branched already',
  already_delegating: 'it has started tasks by itself',
  depth: 'branches may not branch so deep',
  gate: 'the request has no parts that do not need each other',
  score: 'the work is not heavy enough',
  slots: 'there are not two free places for branches',
  budget: 'there is not enough left of the budget',
} as const;
export type BranchReason = keyof typeof BRANCH_REASONS;

export type Decision = {
  branch: boolean;
  reason: BranchReason;
  /** One sentence with the numbers. */
  detail: string;
  /** How many branches there may be; 0 when it does not branch. */
  branches: number;
};

/** A branching of fewer is none. */
export const LEAST_BRANCHES = 2;
/** One step to read the results and one to answer; a third for what goes wrong. */
const LEAST_STEPS = 3;
export const BUDGET_PRESSURE = 0.7;

type Refusal = { reason: Exclude<BranchReason, 'branched'>; found: string };

const scoreText = ({ ratio, points }: Scores): string =>
  `ratio ${ratio.score.toFixed(3)} of ${ratio.threshold}, points ${pointsOf(points)} of ${Math.round(points.threshold * 7)}`;

const room = (f: Facts): number =>
  Math.min(f.parts, f.fan_out, f.slots_free, Math.max(0, f.max_nodes - f.nodes));

/** The guards that no mode skips, before gate and score. */
function refusedBefore(f: Facts): Refusal | null {
  if (f.mode === 'never') return { reason: 'never', found: '' };
  if (f.already_branched) return { reason: 'already_branched', found: '' };
  if (f.already_delegating && f.trigger === 'first_round')
    return { reason: 'already_delegating', found: '' };
  if (f.branch_level >= f.branch_depth)
    return { reason: 'depth', found: `${f.branch_level} above it, ${f.branch_depth} allowed` };
  return f.can_spawn ? null : { reason: 'depth', found: 'it may not start tasks' };
}

function refusedByWork(f: Facts): Refusal | null {
  if (f.mode === 'always')
    // There is nothing to hand out, whoever asks for it.
    return f.parts < LEAST_BRANCHES ? { reason: 'gate', found: f.gate.reason } : null;
  if (!f.gate.open || f.parts < LEAST_BRANCHES) return { reason: 'gate', found: f.gate.reason };
  if (heavyEnough(f.scores, f.combine, f.trigger)) return null;
  return { reason: 'score', found: scoreText(f.scores) };
}

function refusedByRoom(f: Facts): Refusal | null {
  if (f.paused !== null) return { reason: 'slots', found: f.paused };
  if (f.slots_free < LEAST_BRANCHES) return { reason: 'slots', found: `${f.slots_free} free` };
  if (f.max_nodes - f.nodes < LEAST_BRANCHES)
    return { reason: 'budget', found: `${f.nodes} of ${f.max_nodes} agents of the tree are used` };
  if (f.steps_left !== null && f.steps_left < LEAST_STEPS)
    return {
      reason: 'budget',
      found: `${f.steps_left} model steps are left, ${LEAST_STEPS} are needed`,
    };
  return null;
}

export function decide(facts: Facts): Decision {
  const refusal = refusedBefore(facts) ?? refusedByWork(facts) ?? refusedByRoom(facts);
  if (!refusal) {
    const branches = room(facts);
    const detail = `${branches} branches; ${scoreText(facts.scores)}`;
    return { branch: true, reason: 'branched', detail, branches };
  }
  const { reason, found } = refusal;
  const detail = found === '' ? BRANCH_REASONS[reason] : `${BRANCH_REASONS[reason]}: ${found}`;
  return { branch: false, reason, detail, branches: 0 };
}

/** Yes or no alone; sets nothing. */
export const shouldBranch = (facts: Facts): boolean => decide(facts).branch;

/**
 * Whether an agent decides again in the middle of its work. `steps` of `max_steps` are used; `max_steps` 0 or less means
 * no limit. The decision at a checkpoint is stored whatever it is.
 */
export function atCheckpoint(scores: Scores, steps: number, max_steps: number): boolean {
  return scores.points.verdict || (max_steps > 0 && steps / max_steps >= BUDGET_PRESSURE);
}
