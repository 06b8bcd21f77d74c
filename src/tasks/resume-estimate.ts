// What it costs to go on with a long thread: said before its first model call, and above a limit the thread is
// summarised first.
import type { Message } from '../domain/message.ts';
import type { Tx } from '../domain/ports.ts';
import type { RunLimits } from '../domain/run.ts';
import type { Subagent } from '../domain/subagent.ts';
import type { ResumeEstimate } from '../domain/task.ts';
import { estimateRequest } from '../domain/token-estimate.ts';

type Compact = RunLimits['compact'];
export type ResumeAsk = {
  /** The thread as the model would see it. */
  messages: readonly Message[];
  prompt: string;
  model: string;
  /** USD per million input tokens of that model; null: no price is known. */
  price: number | null;
  /** Input tokens of one model call above which older turns are summarised first; 0 = never. */
  limit: number;
};

/** The estimate leans to the high side, the run counts about so much less. */
const LEANING = 1.5;

export function estimateOf({ messages, prompt, price }: ResumeAsk): ResumeEstimate {
  const tokens_per_turn = estimateRequest([{ role: 'system', content: prompt }, ...messages]);
  return { tokens_per_turn, usd_per_turn: price === null ? null : (tokens_per_turn * price) / 1e6 };
}

/** Where a run that goes on summarises: sooner than its model asks for when the estimate is above the limit. */
export function compactFor(compact: Compact, tokens: number, limit: number): Compact {
  if (limit === 0 || tokens <= limit) return compact;
  const at = Math.floor(limit / LEANING);
  return compact
    ? { ...compact, at_tokens: Math.min(compact.at_tokens, at) }
    : { at_tokens: at, by_model: false };
}

/** In the unit that starts the run. Null: it begins, there is nothing to go on with. */
export async function noteResume(
  t: Tx,
  agent: Subagent,
  ask: ResumeAsk,
): Promise<ResumeEstimate | null> {
  if (!ask.messages.some(({ role }) => role === 'assistant')) return null;
  const estimate = estimateOf(ask);
  const { tokens_per_turn, usd_per_turn } = estimate;
  const { query_id, task_id, agent_id, role } = agent;
  const above = ask.limit > 0 && tokens_per_turn > ask.limit;
  const usd = usd_per_turn === null ? '' : `, ${usd_per_turn.toFixed(4)} USD`;
  const first = above
    ? `; [limits] resume_tokens is ${ask.limit}: older turns are summarised first`
    : '';
  await t.tasks.patch(task_id, { resume_estimate: estimate, updated_at: t.at });
  await t.events.append({
    kind: 'notice',
    state: 'resume_estimate',
    detail: `goes on with about ${tokens_per_turn} input tokens${usd} for each model call${first}`,
    ...{ query_id, task_id, agent_id, role },
    data: { ...estimate, model: ask.model, limit: ask.limit, summarised_first: above },
  });
  return estimate;
}
