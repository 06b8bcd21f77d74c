// loop_runs: one row for each turn of the main agent, and what the policies did in it.
import { isHuman } from '../domain/compaction.ts';
import { newLoopId } from '../domain/ids.ts';
import { isReplyLanguage, type ReplyLanguage } from '../domain/language.ts';
import type { Tx } from '../domain/ports.ts';
import { MAIN } from '../domain/prompt-override.ts';
import type { LoopRun, Query } from '../domain/query.ts';
import { languageOfRequest } from '../language/reply.ts';

/** The row of the turn that is at work, or null between turns. */
export async function turnAtWork(t: Tx, query_id: string): Promise<LoopRun | null> {
  const last = (await t.loops.ofQuery(query_id)).at(-1);
  return last?.status === 'running' ? last : null;
}

/** The row of the turn that goes on, or a new one. */
export async function openLoop(t: Tx, query: Query, model: string): Promise<LoopRun> {
  const last = await turnAtWork(t, query.query_id);
  if (last) return last;
  // Changes of the main prompt hold from the next turn on, also when this one is resumed after them.
  const prompt_revision = (await t.prompts.latest(MAIN))?.revision ?? 0;
  const { messages } = await t.checkpoints.thread(query.query_id);
  const language = languageOfRequest(messages.findLast(isHuman)?.content ?? query.input);
  const row: LoopRun = {
    run_id: newLoopId(),
    thread_id: query.query_id,
    status: 'running',
    current_step: 'starting',
    retries: 0,
    failure_reason: null,
    next_action: null,
    model,
    fallback_model: null,
    metadata: { prompt_preview: query.input.slice(0, 200), prompt_revision, language },
    created_at: t.at,
    updated_at: t.at,
  };
  await t.loops.upsert(row);
  return row;
}

/** What the user has said goes on the query's thread, as long as no turn works on it. */
export async function say(t: Tx, query_id: string, texts: readonly string[]): Promise<void> {
  const { next_step } = await t.checkpoints.thread(query_id);
  const messages = texts.map((content) => ({ role: 'user' as const, content }));
  await t.checkpoints.append({ thread_id: query_id, run_id: query_id, step: next_step, messages });
}

/** Fields of `metadata` are added to those that are there: policies have noted theirs meanwhile. */
export async function patchLoop(t: Tx, row: LoopRun, patch: Partial<LoopRun>): Promise<void> {
  const last = (await t.loops.ofQuery(row.thread_id)).find((l) => l.run_id === row.run_id) ?? row;
  const metadata = { ...last.metadata, ...patch.metadata };
  await t.loops.upsert({ ...last, ...patch, metadata, updated_at: t.at });
}

/** An ended query, or one that is about to end, goes on with what its user has said. */
export async function sayGoesOn(t: Tx, query_id: string, text: string): Promise<void> {
  const detail = text.slice(0, 200);
  const data = { follow_up: true };
  await t.events.append({ kind: 'query', state: 'running', detail, query_id, data });
}

/** What the user of this turn writes; null: nobody can tell. */
export const languageOf = ({ metadata }: LoopRun): ReplyLanguage | null =>
  isReplyLanguage(metadata.language) ? metadata.language : null;
