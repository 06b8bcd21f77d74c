// One round of tools: check the calls, tell main, run them, checkpoint their results.
// Never runs a call that main has not durably noted.
import type { Message, ToolSpec } from '../domain/message.ts';
import type { PolicyAction, PolicyName } from '../domain/policy.ts';
import { POLICIES } from '../resilience/policy.ts';
import { append, carry, checkpoint, mayLeave, type RunState } from './agent-run.ts';
import { withOwnIds } from './call-ids.ts';
import { type Check, checkCall } from './check-call.ts';
import type { Answer } from './model-call.ts';
import { type Ending, failedWith } from './outcome.ts';
import { type Ran, runCalls } from './run-calls.ts';

/** Different mistakes one after the other: a model that cannot call tools at all. */
const MOST_MALFORMED = 3;

const REPEATED = 'the same call brought the same result again and again';
const WARNING =
  '\n\n[warning: this call has now brought the same result three times. Do something else or give your final answer; the next repetition ends the run.]';

/** Adds the warning where it is due; true when the run makes no progress any more. */
function observe(state: RunState, ran: readonly Ran[]): { stuck: boolean; warned: Set<string> } {
  const warned = new Set<string>();
  let stuck = false;
  for (const { call, result } of ran) {
    const { content, waited = false } = result;
    const seen = { name: call.name, args: call.args, result: content, call_id: call.id, waited };
    const verdict = state.guard.observe(seen);
    if (verdict === 'warn') warned.add(call.id);
    // A repetition in the very step that brought the warning came before the model could read it.
    if (verdict === 'stop' && warned.size === 0) stuck = true;
  }
  return { stuck, warned };
}

/** Returns how the run ends, or null when it goes on. */
export async function toolRound(
  state: RunState,
  answer: Answer,
  offered: readonly ToolSpec[],
): Promise<Ending | null> {
  // The answer is asked for again later: a call that nobody starts is better not made.
  await mayLeave(state);
  const calls = withOwnIds(answer.calls, state.ids, state.room.count);
  const { text, reasoning } = answer;
  const said: Message = { role: 'assistant', content: text, tool_calls: calls };
  append(state, reasoning === '' ? said : { ...said, reasoning });
  const checks = calls.map((call) => checkCall(call, offered, answer.finish === 'length'));
  const good = checks.flatMap((check) => (check.ok ? [check.call] : []));
  const hopeless = await noteMalformed(state, checks);
  state.signal.throwIfAborted();
  if (good.length > 0)
    await carry(state, (step) =>
      state.run.host.toolStarted({
        step,
        calls: calls.filter((c) => good.some((g) => g.id === c.id)),
      }),
    );
  const ran = await runCalls(state, good);
  const { stuck, warned } = observe(state, ran);
  const results = calls.flatMap((call, i): Message[] => {
    const check = checks[i];
    const base = { role: 'tool' as const, tool_call_id: call.id, tool_name: call.name };
    if (check && !check.ok) return [{ ...base, content: check.message, is_error: true }];
    const result = ran.find((r) => r.call.id === call.id)?.result;
    if (result?.unanswered) return [];
    const content = (result?.content ?? '') + (warned.has(call.id) ? WARNING : '');
    return [result?.ok ? { ...base, content } : { ...base, content, is_error: true }];
  });
  append(state, ...results);
  state.ctx.deliver(ran.flatMap(({ result }) => result.delivered ?? []));
  state.signal.throwIfAborted();
  await checkpoint(
    state,
    ran.map(({ receipt }) => receipt),
  );
  const unsafe = ran.find(({ result }) => result.safe_stop !== undefined)?.result.safe_stop;
  if (unsafe !== undefined) {
    await note(state, 'safe_stop', 'stop', 0, unsafe);
    return failedWith('safe_stop', 'safe_stop', unsafe);
  }
  const blocked = ran.find(({ result }) => result.blocked !== undefined)?.result.blocked;
  if (blocked !== undefined) return failedWith('blocked', 'blocked', blocked);
  if (warned.size > 0 && !stuck) await note(state, 'no_progress_loop', 'retry', 1, REPEATED);
  if (stuck) {
    await note(state, 'no_progress_loop', 'stop', 1, REPEATED);
    return failedWith('no_progress', 'no_progress', REPEATED);
  }
  return hopeless === null ? null : failedWith('no_progress', 'no_progress', hopeless);
}

/** The policy for calls that cannot run: the model may write the call again once; the same error again is the end. */
async function noteMalformed(state: RunState, checks: readonly Check[]): Promise<string | null> {
  const wrong = checks.flatMap((check) => (check.ok ? [] : [check.message]));
  if (wrong.length === 0 || wrong.length < checks.length) {
    state.malformed = { steps: 0, error: '' };
    return null;
  }
  const error = wrong.join('\n');
  const steps = state.malformed.steps + 1;
  const again = steps > POLICIES.tool_call_error.max_retries && error === state.malformed.error;
  const stop = again || steps > MOST_MALFORMED;
  state.malformed = { steps, error };
  const first = error.split('\n', 1)[0] ?? '';
  await note(state, 'tool_call_error', stop ? 'stop' : 'retry', steps, first);
  return stop ? `the model gave ${steps} tool calls in a row that could not run: ${first}` : null;
}

const note = (
  state: RunState,
  policy: PolicyName,
  action: PolicyAction,
  attempt: number,
  reason: string,
): Promise<void> => state.run.host.policy({ policy, action, attempt, reason });
