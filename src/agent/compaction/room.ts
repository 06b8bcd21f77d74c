// What a run knows of its room in the context of its model. Tokens.
import { isSummary } from '../../domain/compaction.ts';
import type { Message } from '../../domain/message.ts';
import type { RunLimits } from '../../domain/run.ts';

export type Room = {
  /** Where older turns are summarised. */
  at: number;
  /** After the last summary, or where one would have gained nothing. */
  after: number;
  /** What the provider has counted for a request with the first `upto` messages. */
  measured: { tokens: number; upto: number } | null;
  /** Summaries that the thread has. */
  count: number;
};

export function roomOf({ compact }: RunLimits, messages: readonly Message[]): Room {
  const last = messages.find(isSummary)?.summary;
  return {
    at: compact?.at_tokens ?? 0,
    after: last?.after_tokens ?? 0,
    measured: null,
    count: last?.count ?? 0,
  };
}
