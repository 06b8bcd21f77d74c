// A role: a named definition. Merged from roles/, configuration files and overrides; frozen afterwards.

export const BUILT_IN_ROLES = [
  'researcher',
  'coder',
  'frontend',
  'backend',
  'planner',
  'architect',
  'mobile',
  'reviewer',
  'remember',
  'debugger',
] as const;

export type Transport = 'http' | 'inproc';

export type Role = {
  name: string;
  description: string;
  graph_id: string;
  system_prompt: string;
  /** `provider:model`, `echo`, `offline` or `default`. */
  model: string;
  /** Models that are asked in this order when `model` fails; null: those of [models]. */
  fallback: readonly string[] | null;
  /** With model `default`: the cheap or the strong model of [models], where one is set. */
  tier: 'cheap' | 'strong' | null;
  /** Names of tools; enforced by the runtime. */
  tools: readonly string[];
  /** Roles that an agent of this role may start, where depth allows. */
  may_start: readonly string[];
  /** A role server that someone else runs; health-checked and used, never started or stopped. */
  url: string | null;
  headers: Readonly<Record<string, string>>;
  transport: Transport;
  host: string;
  /** Fixed port, or 0: any. */
  port: number;
  /** Most role server processes of this role. */
  instances: number;
  /** Runs that one role server serves at once. */
  max_concurrent_runs: number;
  /** Role that gets a failed or blocked task once. */
  alternate: string | null;
  max_iterations: number | null;
  /** Total time of one run in seconds; 0 = none. */
  timeout_s: number;
};

/** Where a field of a role came from: `built-in`, `default`, `file:line`, or `override` (changed while serving). */
export type RoleSources = Partial<Record<keyof Role, string>>;
