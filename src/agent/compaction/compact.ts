// Keeps a conversation within the context of its model: older turns become a summary, written by the model through
// the same gateway, or by code when there is none. Never loses the run: whatever fails, the digest is there.
import { isHuman, isSummary, summarised } from '../../domain/compaction.ts';
import { AppError } from '../../domain/errors.ts';
import { joinSignals } from '../../domain/join-signals.ts';
import { addUsage, type Summary, type ToolSpec } from '../../domain/message.ts';
import { headOf } from '../../domain/text.ts';
import { checkpoint, type RunState } from '../agent-run.ts';
import { collectAnswer } from '../model-call.ts';
import { startedIn } from '../open-tasks.ts';
import { digestOf } from './digest.ts';
import { fixedTokens, type Plan, planOf } from './plan.ts';
import { isEnded, type KnownTask, saidOf, summaryMessage } from './summary-message.ts';
import { summaryMessages } from './summary-request.ts';
import { tokensOfAll, tokensOfText, tokensOfTools } from './tokens.ts';

/** A summary is short; a model that takes longer is stuck, and the digest serves. */
const SUMMARY_MS = 120_000;
/** Less is not worth a call of the model: the conversation would be too long again at once. */
const LEAST_GAIN = 0.1;
/** After a summary the conversation grows by so much of the threshold before the next one. */
const GROWTH = 0.25;

const beside = (state: RunState, tools: readonly ToolSpec[]): number =>
  tokensOfText(state.run.prompt) + tokensOfTools(tools);

/** About how many tokens the next request has; what the provider has counted is believed when it is more. */
function usedTokens(state: RunState, tools: readonly ToolSpec[]): number {
  const { messages, room } = state;
  const estimate = beside(state, tools) + tokensOfAll(messages);
  if (!room.measured) return estimate;
  const { tokens, upto } = room.measured;
  return Math.max(estimate, tokens + tokensOfAll(messages.slice(upto)));
}

/** Before a request: older turns are summarised when the conversation has reached its limit. */
export async function compactWhenDue(state: RunState, tools: readonly ToolSpec[]): Promise<void> {
  const { room } = state;
  if (!state.run.limits.compact) return;
  const used = usedTokens(state, tools);
  if (used < Math.max(room.at, room.after + room.at * GROWTH)) return;
  await compact(state, tools, 'threshold', used);
}

/** After `context_overflow`: true when the request is shorter now. Later ones stay below what was too long. */
export async function compactForOverflow(
  state: RunState,
  tools: readonly ToolSpec[],
): Promise<boolean> {
  if (!state.run.limits.compact) return false;
  const used = usedTokens(state, tools);
  state.room.at = Math.min(state.room.at, Math.floor(used / 2));
  return compact(state, tools, 'overflow', used);
}

async function compact(
  state: RunState,
  tools: readonly ToolSpec[],
  why: Summary['why'],
  before: number,
): Promise<boolean> {
  const { room, messages } = state;
  const fixed = fixedTokens(messages, beside(state, tools));
  const budget = Math.max(room.at / 10, (room.at - fixed) / 2);
  const plan = planOf(messages, budget);
  const limit = Math.floor(Math.min(12_000, Math.max(1_500, room.at / 2)));
  const gain = plan ? gainOf(state, plan) - limit / 4 : 0;
  if (!plan || (why === 'threshold' && gain < before * LEAST_GAIN) || gain <= 0) {
    room.after = before;
    return false;
  }
  const former = messages.find(isSummary)?.summary;
  const written = await write(state, plan, former?.text ?? '', limit);
  const tasks = await tasksOf(state);
  const summary: Summary = {
    ...written,
    said: saidOf(former?.said ?? [], plan.dropped),
    open_tasks: tasks.filter((t) => !isEnded(t)).map((t) => t.task_id),
    tail: plan.tail,
    clip: plan.clip,
    count: room.count + 1,
    before_tokens: before,
    after_tokens: 0,
    why,
  };
  const message = summaryMessage(summary, tasks);
  const view = summarised(messages, message);
  summary.after_tokens = beside(state, tools) + tokensOfAll(view);
  state.pending.messages.push(message);
  messages.splice(0, messages.length, ...view);
  room.count = summary.count;
  room.after = summary.after_tokens;
  room.measured = null;
  await checkpoint(state);
  return true;
}

/** Tokens that go when the plan is carried out, before the summary comes. */
function gainOf({ messages }: RunState, { tail, clip, dropped }: Plan): number {
  const kept = messages.slice(messages.length - tail);
  const over = kept.map((m) =>
    m.role === 'tool' && clip !== null ? Math.max(0, Buffer.byteLength(m.content) - clip) : 0,
  );
  const cut = over.reduce((sum, bytes) => sum + bytes, 0) / 4;
  return tokensOfAll(dropped) + tokensOfAll(messages.filter(isSummary)) + cut;
}

async function write(
  state: RunState,
  plan: Plan,
  former: string,
  limit: number,
): Promise<Pick<Summary, 'text' | 'by'>> {
  // Only tool results of the last turns become shorter.
  if (plan.dropped.length === 0) return { text: former, by: 'digest' };
  const asked = state.run.limits.compact?.by_model ?? false;
  const text = asked ? await askForSummary(state, plan, former, limit) : '';
  if (text !== '') return { text: headOf(text, limit), by: 'model' };
  return { text: digestOf(former, plan.dropped, limit), by: 'digest' };
}

/** Empty when there is none: a failure of the model here is no failure of the run. */
async function askForSummary(
  state: RunState,
  { dropped }: Plan,
  former: string,
  limit: number,
): Promise<string> {
  const { run, signal, messages, room } = state;
  const request = messages.find(isHuman)?.content ?? '';
  const ask = { request, former, dropped, words: Math.floor(limit / 8) };
  run.host.progress({ activity: 'summarising older turns' });
  const both = joinSignals([signal], SUMMARY_MS);
  try {
    const model = {
      model: run.model,
      messages: summaryMessages(ask, room.at * 2),
      tools: [],
      purpose: 'summary' as const,
    };
    const answer = await collectAnswer(run.host.model(model, both.signal), both.signal);
    state.usage = addUsage(state.usage, answer.usage);
    return answer.finish === 'refusal' ? '' : answer.text.trim();
  } catch (error) {
    signal.throwIfAborted();
    run.log.warn({ run_id: run.run_id, err: error }, 'no summary of a model; using a digest');
    return '';
  } finally {
    both.release();
  }
}

/** The tasks of this agent as main knows them; when it cannot say, those that the thread names. */
async function tasksOf(state: RunState): Promise<KnownTask[]> {
  const { run, signal, messages } = state;
  if (!run.tools.some(({ name }) => name === 'start_async_task')) return [];
  const answer = await run.host.tasks({ op: 'list', status: null }, signal).catch((error) => {
    signal.throwIfAborted();
    if (error instanceof AppError && error.code === 'cancelled') throw error;
    run.log.warn({ run_id: run.run_id, err: error }, 'the tasks are taken from the thread');
    return null;
  });
  if (answer?.ok && 'tasks' in answer) return answer.tasks;
  return startedIn(messages).map((task_id) => ({
    ...{ task_id, subagent_type: '', status: 'open' },
    description: 'as the thread says',
  }));
}
