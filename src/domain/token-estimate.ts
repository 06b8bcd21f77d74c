// How many tokens a text will be, without the tokenizer of the model. Errs on the high side for prose, code, JSON,
// digits and CJK alike, so that what is reserved for a call is enough for it. Pure.
import type { Message, ToolSpec } from './message.ts';

/** Letters of one word that share a token; what is longer than any word (keys, base64) shares less. */
const LETTERS = 4;
const LONGEST_WORD = 12;
const LETTERS_OF_NO_WORD = 1.5;
/** Indentation. */
const SPACES = 8;
/** Signs often share a token with their neighbours. */
const SIGN = 0.8;
/** Tokenizers of before 2024 need more than one token for most of these characters. */
const BEYOND_ASCII = 1.5;
const MARGIN = 1.15;
/** What the chat format adds around a message, a tool call, a tool, a whole request. */
const MESSAGE = 8;
const CALL = 12;
const TOOL = 16;
const REQUEST = 32;

const isLower = (c: number): boolean => c >= 97 && c <= 122;
const isUpper = (c: number): boolean => c >= 65 && c <= 90;
const isDigit = (c: number): boolean => c >= 48 && c <= 57;
const isSpace = (c: number): boolean => c === 32 || (c >= 9 && c <= 13);

const ofWord = (letters: number): number =>
  letters > LONGEST_WORD ? letters / LETTERS_OF_NO_WORD : Math.ceil(letters / LETTERS);

function count(text: string): number {
  let sum = 0;
  let letters = 0;
  let capitals = 0;
  let spaces = 0;
  const endWord = (): void => {
    sum += ofWord(letters);
    letters = 0;
    capitals = 0;
  };
  // One blank belongs to the word after it; indentation has tokens of its own.
  const endSpaces = (): void => {
    if (spaces > 1) sum += Math.ceil(spaces / SPACES);
    spaces = 0;
  };
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (isLower(c) || isUpper(c)) {
      endSpaces();
      // camelCase, and HTTPServer: a new word begins.
      const turns = isUpper(c) ? letters > capitals : capitals > 1 && letters === capitals;
      if (turns) endWord();
      letters += 1;
      if (isUpper(c)) capitals += 1;
      continue;
    }
    endWord();
    if (c === 10) sum += 1;
    else if (isSpace(c)) spaces += 1;
    else {
      endSpaces();
      sum += c >= 128 ? BEYOND_ASCII : isDigit(c) ? 1 : SIGN;
    }
  }
  endWord();
  endSpaces();
  return sum;
}

export const estimateTokens = (text: string): number => Math.ceil(count(text) * MARGIN);

function ofMessage(message: Message): number {
  let sum = MESSAGE + count(message.content);
  if (message.role === 'tool') sum += count(message.tool_call_id) + count(message.tool_name);
  if (message.role !== 'assistant') return sum;
  sum += count(message.reasoning ?? '');
  for (const { id, name, arguments: args } of message.tool_calls ?? [])
    sum += CALL + count(id) + count(name) + count(args);
  return sum;
}

/** Input tokens of one model call with these messages and tools. */
export function estimateRequest(
  messages: readonly Message[],
  tools: readonly ToolSpec[] = [],
): number {
  let sum = REQUEST;
  for (const message of messages) sum += ofMessage(message);
  for (const { name, description, parameters } of tools)
    sum += TOOL + count(name) + count(description) + count(JSON.stringify(parameters));
  return Math.ceil(sum * MARGIN);
}
