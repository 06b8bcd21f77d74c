// Self-branching, the deciding half: whether a request has independent parts, whether work is heavy enough, whether the
// guards allow it, which branches it makes and what their results become. Nothing here starts anything.
export { readGate } from './gate/gate.ts';
export { GATE_REASONS, type GateMode, type GateReason, type GateVerdict } from './gate/verdict.ts';
