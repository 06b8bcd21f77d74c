// Prompts that were changed while the server runs: the main agent's gets an addition, a role's is replaced.

/** The name under which the main agent's prompt is changed. */
export const MAIN = 'main';
/** Most bytes of one. */
export const PROMPT_LIMIT = 32_768;

/** One change, never rewritten. `prompt` null: back to the default. Revisions rise with every change of any role. */
export type PromptOverride = { revision: number; role: string; prompt: string | null; at: string };

/** A prompt as it stands. */
export type RolePrompt = {
  role: string;
  /** What an override does to the default. */
  mode: 'append' | 'replace';
  default: string;
  override: string | null;
  /** What the next run gets. */
  effective: string;
  /** When it was changed last; null: never. */
  updated_at: string | null;
  /** What does not agree between the prompt and the registered roles. */
  warnings: string[];
};

export type PromptReads = {
  /** The newest change of a role; null: there was none. */
  latest(role: string): Promise<PromptOverride | null>;
  /** What held when this revision was the newest one; null: the default. */
  asOf(role: string, revision: number): Promise<PromptOverride | null>;
  /** The newest change of each role. */
  all(): Promise<PromptOverride[]>;
};
export type PromptNouns = PromptReads & {
  set(role: string, prompt: string | null): Promise<PromptOverride>;
};
