// Self-branching, the deciding half: whether a request has independent parts, whether work is heavy enough, whether the
// guards allow it, which branches it makes and what their results become. Nothing here starts anything.
export { type Window, type Work, workIn } from './calls.ts';
export {
  atCheckpoint,
  BRANCH_REASONS,
  type BranchReason,
  type Decision,
  decide,
  type Facts,
  LEAST_BRANCHES,
  shouldBranch,
} from './decide.ts';
export { type EarlyStop, earlyStop, type GoalCheck, type OpenBranch } from './early-stop.ts';
export { readGate } from './gate/gate.ts';
export { GATE_REASONS, type GateMode, type GateReason, type GateVerdict } from './gate/verdict.ts';
export {
  type PayOff,
  type Prediction,
  payOff,
  predict,
  type Ran,
  type Settled,
  type Suggestion,
  suggestThreshold,
} from './ledger.ts';
export {
  type BranchNote,
  type BranchResult,
  type BranchStatus,
  type Merged,
  mergeBranches,
} from './merge.ts';
export { partsFor } from './parts.ts';
export { type Branch, FAN_OUT, type Plan, type PlanAsk, planBranches } from './plan.ts';
export {
  COMBINATIONS,
  type Combination,
  type Component,
  heavyEnough,
  pointsOf,
  pointsScore,
  ratioScore,
  type Score,
  type Scores,
  type Spent,
  type Trigger,
} from './scores.ts';
