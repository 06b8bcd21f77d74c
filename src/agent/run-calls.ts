// Runs the tool calls of one model step: reads beside each other, everything else in its order.
// Never throws: what goes wrong is a result. Never starts a call after the run was stopped.
import { clipFramed } from '../domain/data-frame.ts';
import { AppError } from '../domain/errors.ts';
import type { ToolReceipt } from '../domain/run.ts';
import { oneLine } from '../domain/text.ts';
import type { ToolContext, ToolResult } from '../domain/tool.ts';
import type { RunState } from './agent-run.ts';
import { keepWhole } from './keep-whole.ts';
import type { CheckedCall } from './middleware.ts';

export type Ran = { call: CheckedCall; result: ToolResult; receipt: ToolReceipt };

const READS = new Set(
  'read list glob grep fetch memory_search brain_query check_async_task list_async_tasks'.split(
    ' ',
  ),
);
const AT_ONCE = 8;
/** Well under the time after which a silent run counts as blocked. */
const HEARTBEAT_MS = 10_000;

function contextOf(state: RunState, call: CheckedCall): ToolContext {
  const { run, ctx } = state;
  const { result_limit, tool_timeout_s, tool_timeout_max_s, fetch_allow } = run.limits;
  return {
    workdir: ctx.workdir,
    run_id: run.run_id,
    call_id: call.id,
    signal: state.signal,
    host: run.host,
    ...{ result_limit, tool_timeout_s, tool_timeout_max_s, fetch_allow },
    markers: run.markers,
    untimed: state.untimed,
    progress: (activity) => run.host.progress({ activity }),
  };
}

function failureOf(state: RunState, call: CheckedCall, error: unknown): ToolResult {
  const why = state.signal.aborted
    ? 'stopped, because the run was stopped'
    : error instanceof AppError
      ? error.message
      : `internal error${error instanceof Error ? `: ${error.message}` : ''}`;
  return { ok: false, content: `${call.name} failed: ${why}`, summary: oneLine(why) };
}

/** The result within its limit; what was cut is kept in a file and named. */
async function capped(state: RunState, call: CheckedCall, result: ToolResult): Promise<ToolResult> {
  const limit = state.run.limits.result_limit;
  const whole =
    Buffer.byteLength(result.content) > limit
      ? await keepWhole(state.ctx.workdir, call.id, result.content)
      : '';
  return { ...result, content: clipFramed(result.content, limit, whole) };
}

async function runOne(state: RunState, call: CheckedCall): Promise<Ran> {
  const { run } = state;
  const begun = run.clock.mono();
  const tool = run.tools.find((t) => t.name === call.name);
  run.host.progress({ activity: oneLine(`tool ${call.name} ${JSON.stringify(call.args)}`) });
  let result: ToolResult;
  try {
    state.signal.throwIfAborted();
    result = await state.chain.callTool(state.ctx, call, async (given) => {
      if (!tool) throw new AppError('not_found', `there is no tool "${given.name}"`);
      return tool.run(given.args, contextOf(state, given));
    });
    result = await capped(state, call, result);
  } catch (error) {
    result = failureOf(state, call, error);
  }
  const receipt: ToolReceipt = {
    id: call.id,
    name: call.name,
    ok: result.ok,
    summary: oneLine(result.summary),
    duration_ms: Math.round(run.clock.mono() - begun),
    exit_code: result.exit_code ?? null,
  };
  return { call, result, receipt };
}

/** Neighbouring reads come together, everything else alone. */
export function batchesOf(calls: readonly CheckedCall[]): CheckedCall[][] {
  const batches: CheckedCall[][] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    const joins = READS.has(call.name) && last?.every((c) => READS.has(c.name));
    if (last && joins && last.length < AT_ONCE) last.push(call);
    else batches.push([call]);
  }
  return batches;
}

/** Results in the order of the calls. Main hears a heartbeat while they run. */
export async function runCalls(state: RunState, calls: readonly CheckedCall[]): Promise<Ran[]> {
  const names = calls.map((c) => c.name).join(', ');
  const beat = setInterval(
    () => state.run.host.progress({ activity: `running ${names}` }),
    HEARTBEAT_MS,
  );
  const ran: Ran[] = [];
  try {
    for (const batch of batchesOf(calls))
      ran.push(...(await Promise.all(batch.map((call) => runOne(state, call)))));
    return ran;
  } finally {
    clearInterval(beat);
  }
}
