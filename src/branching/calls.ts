// What a conversation shows of the work in it, counted once: tool calls, turns, signs of reasoning. Pure.
import type { Message } from '../domain/message.ts';

/**
 * `turn`: from the last message of the user on (notices of the runtime are none). `session`: everything.
 */
export type Window = 'turn' | 'session';

export type Work = {
  messages: number;
  /** Names of the tool calls in order, each call once, the async tools left out. */
  calls: string[];
  /** A task was started. */
  delegated: boolean;
  /** Messages of the assistant without tool calls. */
  turns: number;
  /** Share of the assistant's messages that show reasoning, 0 to 1. */
  reasoning: number;
};

/** The tools that hand work on: start, check, update, cancel and list of async tasks. */
const ASYNC = /_async_tasks?$/;
const REASONS = /<(?:thinking|think|reasoning)>|analyz|investigate|debugg|trace/i;

const inWindow = (messages: readonly Message[], window: Window): readonly Message[] => {
  if (window === 'session') return messages;
  const last = messages.findLastIndex((m) => m.role === 'user' && m.kind !== 'notice');
  return messages.slice(Math.max(0, last));
};

/**
 * A call stands in the message that makes it and again in its result; compaction may leave only one of them. Its id
 * says that both are the same.
 */
export function workIn(messages: readonly Message[], window: Window): Work {
  const seen = inWindow(messages, window);
  const calls = new Map<string, string>();
  let turns = 0;
  let spoken = 0;
  let reasoned = 0;
  for (const message of seen) {
    if (message.role === 'tool') calls.set(message.tool_call_id, message.tool_name);
    if (message.role !== 'assistant') continue;
    spoken += 1;
    const made = message.tool_calls ?? [];
    for (const { id, name } of made) calls.set(id, name);
    if (made.length === 0) turns += 1;
    const thought = (message.reasoning ?? '') !== '';
    if (thought || REASONS.test(message.content)) reasoned += 1;
  }
  const names = [...calls.values()];
  return {
    messages: seen.length,
    calls: names.filter((name) => !ASYNC.test(name)),
    delegated: names.includes('start_async_task'),
    turns,
    reasoning: spoken === 0 ? 0 : reasoned / spoken,
  };
}
