// Our messages and tools in the form of Ollama's /api/chat. Pure.
import type { Message, ToolSpec } from '../domain/message.ts';

/** Ollama takes arguments as an object only; what is none is shown to the model as it wrote it. */
function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // not JSON: below
  }
  return { not_an_object: text };
}

function one(m: Message): Record<string, unknown> {
  if (m.role === 'tool') return { role: 'tool', content: m.content, tool_name: m.tool_name };
  if (m.role !== 'assistant') return { role: m.role, content: m.content };
  const tool_calls = (m.tool_calls ?? []).map(({ name, arguments: args }) => ({
    function: { name, arguments: objectOf(args) },
  }));
  return {
    role: 'assistant',
    content: m.content,
    ...(m.reasoning ? { thinking: m.reasoning } : {}),
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
}

export const toOllamaMessages = (messages: readonly Message[]): Record<string, unknown>[] =>
  messages.map(one);

export const toOllamaTools = (tools: readonly ToolSpec[]): Record<string, unknown>[] =>
  tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
