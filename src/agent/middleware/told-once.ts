// Corrections that an agent gets once for an answer: a run that is resumed after one gets no second one. Pure.
import { isHuman } from '../../domain/compaction.ts';
import type { Message } from '../../domain/message.ts';

/** Whether a notice that begins so came since the last words of a person or a parent. */
export const toldSince = (history: readonly Message[], beginning: string): boolean =>
  history
    .slice(history.findLastIndex(isHuman) + 1)
    .some((m) => m.role === 'user' && m.kind === 'notice' && m.content.startsWith(beginning));

/** The text that would be the final one; null: the last message is none. */
export function finalText(messages: readonly Message[]): string | null {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? last.content : null;
}
