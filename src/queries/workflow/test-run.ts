// The runtime's own run of the tests: the same shell that agents have, with the same limits, but nobody's call.
import { uuidv7 } from '../../domain/ids.ts';
import type { RunHost, RunLimits } from '../../domain/run.ts';
import type { Tool, ToolContext } from '../../domain/tool.ts';
import type { PhaseDeps } from './phases.ts';

export type TestRunDeps = {
  tools: readonly Tool[];
  limits: Pick<RunLimits, 'tool_timeout_s' | 'tool_timeout_max_s' | 'fetch_allow'>;
  markers: Readonly<Record<string, string>>;
};

/** Bytes of output that are looked at. */
const LOOKED_AT = 30_000;
/** A whole suite takes longer than one command of an agent; the most that a command may ask for still holds. */
const SUITE_S = 600;

export function createTestRun({ tools, limits, markers }: TestRunDeps): PhaseDeps['run'] {
  const shell = tools.find((tool) => tool.name === 'shell');
  return async function run(workdir, command, signal) {
    if (!shell) return { exit_code: null, output: 'there is no shell' };
    const run_id = uuidv7();
    const context: ToolContext = {
      ...{ workdir, run_id, call_id: run_id, signal, markers, ...limits },
      // A command asks main for nothing.
      host: {} as RunHost,
      result_limit: LOOKED_AT,
      write_under: null,
      untimed: (work) => work(),
      progress() {},
    };
    try {
      const timeout_s = Math.min(SUITE_S, limits.tool_timeout_max_s);
      const { exit_code, content } = await shell.run({ command, timeout_s }, context);
      return { exit_code: exit_code ?? null, output: content };
    } finally {
      await shell.endRun?.(run_id);
    }
  };
}
