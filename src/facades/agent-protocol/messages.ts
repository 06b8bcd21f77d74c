// Messages in the shapes of the LangGraph world, to ours and back. Pure.
import { AppError } from '../../domain/errors.ts';
import type { Message } from '../../domain/message.ts';
import type { Checkpoint } from '../../domain/ports.ts';

export type Json = Record<string, unknown>;
/** What a run is asked: its messages, the text of the last one, and every other key of the input. */
export type Input = { messages: Message[]; text: string; extras: Json };

const bad = (what: string): never => {
  throw new AppError('bad_request', what);
};
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content)) return bad('the content of a message is text or a list of blocks');
  return content
    .map((block: unknown) => {
      if (typeof block === 'string') return block;
      if (isJson(block) && block.type === 'text' && typeof block.text === 'string')
        return block.text;
      const type = isJson(block) ? String(block.type) : typeof block;
      return bad(`a message has a block of type ${type}; only text is read here`);
    })
    .join('');
}

const ROLES: Record<string, Message['role']> = {
  ...{ user: 'user', human: 'user', HumanMessage: 'user', HumanMessageChunk: 'user' },
  ...{
    assistant: 'assistant',
    ai: 'assistant',
    AIMessage: 'assistant',
    AIMessageChunk: 'assistant',
  },
  ...{ system: 'system', developer: 'system', SystemMessage: 'system' },
  ...{ tool: 'tool', ToolMessage: 'tool' },
};

function callsOf(given: unknown) {
  if (!Array.isArray(given)) return [];
  return given.filter(isJson).map((call) => ({
    id: String(call.id ?? ''),
    name: String(call.name ?? ''),
    arguments: JSON.stringify(call.args ?? {}),
  }));
}

export function readMessage(given: unknown): Message {
  if (typeof given === 'string') return { role: 'user', content: given };
  if (Array.isArray(given) && given.length === 2)
    return readMessage({ role: given[0], content: given[1] });
  if (!isJson(given)) return bad('a message is an object with role and content');
  // The form in which LangChain writes its classes.
  if (given.lc === 1 && isJson(given.kwargs) && Array.isArray(given.id))
    return readMessage({ ...given.kwargs, type: given.id.at(-1) });
  const name = String(given.role ?? given.type ?? '');
  const role = ROLES[name];
  const content = textOf(given.content);
  if (role === 'tool')
    return {
      role,
      tool_call_id: String(given.tool_call_id ?? ''),
      tool_name: String(given.name ?? ''),
      content,
    };
  if (role === 'assistant') {
    const tool_calls = callsOf(given.tool_calls);
    return { role, content, ...(tool_calls.length > 0 ? { tool_calls } : {}) };
  }
  if (role === 'user' || role === 'system') return { role, content };
  return bad(`a message has the role "${name}"; known: user, assistant, system, tool`);
}

export function readMessages(given: unknown): Message[] {
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? given : [given]).map(readMessage);
}

/** The input of a run. Keys that are not messages are kept in the values of the thread. */
export function readInput(given: unknown): Input {
  if (typeof given === 'string') return readInput({ messages: [given] });
  if (given !== undefined && given !== null && !isJson(given)) bad('input is an object or null');
  const { messages: list, ...extras } = (given ?? {}) as Json;
  const messages = readMessages(list);
  const last = messages.at(-1);
  const text = last?.role === 'user' ? last.content : '';
  if (text.trim() === '')
    bad('input.messages must end with a message of the user; say what is to be done');
  return { messages, text, extras };
}

const argsOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** A message as clients of the protocol know it. */
export function writeMessage(message: Message, id: string): Json {
  const base = { id, content: message.content, additional_kwargs: {}, response_metadata: {} };
  if (message.role === 'user')
    return message.kind === 'notice'
      ? { ...base, type: 'human', name: 'troupe', additional_kwargs: { kind: 'notice' } }
      : { ...base, type: 'human' };
  if (message.role === 'system') return { ...base, type: 'system' };
  if (message.role === 'tool')
    return {
      ...base,
      type: 'tool',
      name: message.tool_name,
      tool_call_id: message.tool_call_id,
      status: message.is_error ? 'error' : 'success',
    };
  const calls = (message.tool_calls ?? []).map((call) => ({ call, args: argsOf(call.arguments) }));
  return {
    ...base,
    type: 'ai',
    ...(message.reasoning ? { additional_kwargs: { reasoning_content: message.reasoning } } : {}),
    tool_calls: calls
      .filter(({ args }) => isJson(args))
      .map(({ call, args }) => ({ id: call.id, name: call.name, args, type: 'tool_call' })),
    invalid_tool_calls: calls
      .filter(({ args }) => !isJson(args))
      .map(({ call }) => ({
        id: call.id,
        name: call.name,
        args: call.arguments,
        error: 'not a JSON object',
        type: 'invalid_tool_call',
      })),
  };
}

/** Ids of messages follow from where they stand, so that every reader sees the same. */
export const messagesOf = (row: Checkpoint): Json[] =>
  row.messages.map((message, i) => writeMessage(message, `${row.run_id}:${row.step}:${i}`));
