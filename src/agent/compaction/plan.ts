// Which messages of a conversation stay and which are summarised. Pure.
import { isHuman, isSummary } from '../../domain/compaction.ts';
import type { Message } from '../../domain/message.ts';
import { tokensOf, tokensOfAll } from './tokens.ts';

export type Plan = {
  /** So many messages at the end stay. */
  tail: number;
  /** Bytes that stay of each tool result among them; null: all. */
  clip: number | null;
  /** What is summarised, in order; without the former summary and without what stays for other reasons. */
  dropped: Message[];
};

/** Turns at the end that stay, where there is room for them. */
const MOST_TURNS = 8;
/** A tool result that is cut keeps at least its beginning and its end. */
const LEAST_CLIP = 600;
/** Bytes that surely make no more than one token. */
const BYTES_PER_TOKEN = 2;

/** Where the turns begin: a message of the user, or an answer of the model with the results of its calls. */
const starts = (messages: readonly Message[]): number[] =>
  messages.flatMap((m, i) => (m.role === 'tool' ? [] : [i]));

function tailStart(messages: readonly Message[], budget: number): number {
  const turns = starts(messages).slice(-MOST_TURNS);
  let from = turns.at(-1) ?? 0;
  let used = tokensOfAll(messages.slice(from));
  for (const at of turns.slice(0, -1).reverse()) {
    used += tokensOfAll(messages.slice(at, from));
    if (used > budget || messages.slice(at, from).some(isSummary)) break;
    from = at;
  }
  return from;
}

/** Bytes for each tool result, when those of the tail alone are more than it may have. */
function clipOf(tail: readonly Message[], budget: number): number | null {
  const results = tail.filter((m) => m.role === 'tool');
  if (results.length === 0 || tokensOfAll(tail) <= budget) return null;
  const others = tokensOfAll(tail.filter((m) => m.role !== 'tool'));
  const room = Math.max(0, budget - others) * BYTES_PER_TOKEN;
  return Math.max(LEAST_CLIP, Math.floor(room / results.length));
}

/** `budget`: tokens that the tail may have. Null: nothing can be left out. */
export function planOf(messages: readonly Message[], budget: number): Plan | null {
  const from = tailStart(messages, budget);
  const tail = messages.slice(from);
  const first = messages.findIndex(isHuman);
  const latest = messages.findLastIndex(isHuman);
  const dropped = messages.filter(
    (m, i) => i < from && i !== first && i !== latest && !isSummary(m),
  );
  const clip = clipOf(tail, budget);
  const shortens = tail.some(
    (m) => clip !== null && m.role === 'tool' && Buffer.byteLength(m.content) > clip,
  );
  if (dropped.length === 0 && !shortens) return null;
  return { tail: tail.length, clip: shortens ? clip : null, dropped };
}

/** Tokens of what stays whatever is planned: system prompt, tools, the first and the latest request. */
export const fixedTokens = (messages: readonly Message[], beside: number): number => {
  const kept = new Set([messages.find(isHuman), messages.findLast(isHuman)]);
  return [...kept].reduce((sum, m) => sum + (m ? tokensOf(m) : 0), beside);
};
