// About how many tokens a text has for a model, without its tokenizer: four letters of the Latin script make one, each
// Chinese or Korean character makes one. Rather too many than too few. Pure.
import type { Message, ToolSpec } from '../../domain/message.ts';

/** What a message costs beside its text: role, ids, separators. */
const PER_MESSAGE = 6;

export function tokensOfText(text: string): number {
  // A character of three bytes adds two to the difference, one of two bytes adds one.
  const wide = (Buffer.byteLength(text) - text.length) / 2;
  return Math.ceil((text.length - wide) / 4 + wide);
}

export function tokensOf(message: Message): number {
  let tokens = PER_MESSAGE + tokensOfText(message.content);
  if (message.role !== 'assistant') return tokens;
  tokens += tokensOfText(message.reasoning ?? '');
  for (const call of message.tool_calls ?? [])
    tokens += PER_MESSAGE + tokensOfText(call.name) + tokensOfText(call.arguments);
  return tokens;
}

export const tokensOfAll = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + tokensOf(message), 0);

export const tokensOfTools = (tools: readonly ToolSpec[]): number =>
  tools.length === 0 ? 0 : tokensOfText(JSON.stringify(tools));
