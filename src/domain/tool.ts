// What a tool is. Rooms: tools/ implements, agent/ runs.
import type { ToolSpec } from './message.ts';
import type { RunHost } from './run.ts';

export type ToolContext = {
  /** Absolute, real path of the query's workdir: the only place a tool may touch. */
  workdir: string;
  run_id: string;
  call_id: string;
  signal: AbortSignal;
  /** The road to main, for the tools that need it (async tasks, memory). */
  host: RunHost;
  /** Bytes of a result that reach the model. */
  result_limit: number;
  tool_timeout_s: number;
  tool_timeout_max_s: number;
  /** What fetch may reach although it is not public. */
  fetch_allow: readonly string[];
  /** Environment markers that every command inherits, so that nothing it starts can be lost. */
  markers: Readonly<Record<string, string>>;
  /** Waits for a person in `work`: the time that passes in it does not count against the run's limit. */
  untimed<T>(work: () => Promise<T>): Promise<T>;
  /** Says that the tool is alive and what it is doing; at most one a second goes further. */
  progress(activity: string): void;
};

export type ToolResult = {
  ok: boolean;
  /** For the model. Cut to the result limit by the loop, which keeps the whole in a file. */
  content: string;
  /** One line for people. */
  summary: string;
  exit_code?: number | null;
  /** The run stops here, for safety: why, in a sentence for its user. Nothing was done. */
  safe_stop?: string;
  /** The agent cannot go on, and why: the run ends. */
  blocked?: string;
  /** The run stops, and main has what the call waits for: no result is written, the resumed run gets it. */
  unanswered?: true;
  /** It waited for work that goes on in the background: the same result again is no standstill. */
  waited?: boolean;
  /** Outcomes that this result hands to the agent: never announced again. */
  delivered?: string[];
};

export type Tool = ToolSpec & {
  /** Arguments are already checked against `parameters`. Failures are results, not exceptions. */
  run(args: Record<string, unknown>, ctx: ToolContext): Promise<ToolResult>;
  /** Called once when a run has ended: stops what its calls left running and names it. Never throws. */
  endRun?(run_id: string): Promise<string[]>;
};
