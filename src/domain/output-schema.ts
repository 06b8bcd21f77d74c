// An answer that must be JSON of a given shape: the words of it. Checking it is main's work, see tasks/output-schema.

/** A JSON Schema (draft 2020-12) as a caller gave it; accepted only after it was checked and measured. */
export type OutputSchema = Readonly<Record<string, unknown>>;

/** `value`: the JSON of the answer, null when it does not fit. `problems`: one sentence each; empty when it fits. */
export type CheckedAnswer = { valid: boolean; value: unknown; problems: string[] };
