// Self-branching, the deciding half: whether a request has independent parts, whether work is heavy enough, whether the
// guards allow it, which branches it makes and what their results become. Nothing here starts anything.
export { type Work, workIn } from './calls.ts';
export {
  atCheckpoint,
  BRANCH_REASONS,
  type Decision,
  decide,
  type Facts,
  shouldBranch,
} from './decide.ts';
export { earlyStop } from './early-stop.ts';
export { readGate } from './gate/gate.ts';
export { GATE_REASONS, type GateVerdict } from './gate/verdict.ts';
export { type PayOff, type Prediction, payOff, predict, suggestThreshold } from './ledger.ts';
export {
  type BranchNote,
  type BranchResult,
  type BranchStatus,
  type Merged,
  mergeBranches,
} from './merge.ts';
export { partsFor } from './parts.ts';
export { type Branch, type Plan, planBranches } from './plan.ts';
export {
  type Combination,
  type Component,
  heavyEnough,
  pointsOf,
  pointsScore,
  ratioScore,
  type Score,
  type Scores,
  type Trigger,
} from './scores.ts';
