// The words of the gate: what it answers and why.

/**
 * `parallel`: independent parts. `sequential`: steps in this order. `dependent`: one part leans on another. `single`:
 * one piece of work, or none.
 */
export type GateMode = 'parallel' | 'sequential' | 'dependent' | 'single';

/** Codes of the gate's reasons, with their words. */
export const GATE_REASONS = {
  list: 'the items of a list are requests that do not need each other',
  conjunction: 'requests that do not need each other are joined',
  lines: 'each line is a request that does not need the others',
  empty: 'there is no text',
  too_long: 'it has more pieces than anybody writes by hand',
  no_request: 'what is joined are not two requests',
  single_request: 'it is one request',
  no_conjunction: 'nothing says that the sentences are separate pieces of work',
  nouns: 'things are joined, not requests',
  inner_clause: 'what is joined stands inside one request',
  too_short: 'a part would be too short to stand alone',
  limit: 'the second half says how the work is to be done',
  condition: 'the work hangs on a condition',
  question: 'it is a question',
  sequential: 'the order matters',
  dependent: 'a later part needs an earlier one',
  list_of_things: 'the items of the list are no requests of their own',
} as const;
export type GateReason = keyof typeof GATE_REASONS;

/** `parts` are the user's own words, empty unless the gate is open. */
export type GateVerdict = {
  open: boolean;
  mode: GateMode;
  reason: GateReason;
  parts: string[];
  /** In their order, when `mode` is `sequential`. */
  steps: string[];
  /** What is said beside the parts: greetings, background, limits. */
  context: string[];
};
