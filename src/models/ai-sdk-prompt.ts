// Our messages and tools in the form of the AI SDK's LanguageModel interface. Pure.
import type { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Message, ToolSpec } from '../domain/message.ts';

type Chat = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>;
type CallOptions = Parameters<Chat['doStream']>[0];
export type Prompt = CallOptions['prompt'];
export type PromptTool = NonNullable<CallOptions['tools']>[number];
export type SdkModel = Pick<Chat, 'doStream'>;
export type SdkPart =
  Awaited<ReturnType<Chat['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

/** Arguments that are no JSON stay text: the model sees what it wrote. */
function input(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function one(m: Message): Prompt[number] {
  switch (m.role) {
    case 'system':
      return { role: 'system', content: m.content };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: m.content }] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(m.reasoning ? [{ type: 'reasoning' as const, text: m.reasoning }] : []),
          ...(m.content !== '' ? [{ type: 'text' as const, text: m.content }] : []),
          ...(m.tool_calls ?? []).map((call) => ({
            type: 'tool-call' as const,
            toolCallId: call.id,
            toolName: call.name,
            input: input(call.arguments),
          })),
        ],
      };
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: m.tool_call_id,
            toolName: m.tool_name,
            output: { type: m.is_error ? 'error-text' : 'text', value: m.content },
          },
        ],
      };
  }
}

export const toPrompt = (messages: readonly Message[]): Prompt => messages.map(one);

export const toTools = (tools: readonly ToolSpec[]): PromptTool[] =>
  tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as Extract<PromptTool, { type: 'function' }>['inputSchema'],
  }));
