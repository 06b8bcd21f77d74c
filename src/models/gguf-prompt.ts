// Our messages and tools in the form of node-llama-cpp. Pure.
// There a tool result belongs to its call, and every property of an object is written: what may be left out is null.
import type { JsonSchema, Message, ToolCall, ToolSpec } from '../domain/message.ts';
import type { GgufCall, GgufFunctions, GgufItem, GgufSchema } from './gguf-module.ts';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const callOf = ({ name, arguments: args }: ToolCall): GgufCall => ({
  type: 'functionCall',
  name,
  params: parsed(args),
  result: 'no result',
});

/** Messages of an agent between two of the user are one turn of the model. */
export function toGgufHistory(messages: readonly Message[]): GgufItem[] {
  const items: GgufItem[] = [];
  const open = new Map<string, GgufCall>();
  for (const m of messages) {
    if (m.role === 'tool') {
      const call = open.get(m.tool_call_id);
      if (call) call.result = m.content;
    } else if (m.role !== 'assistant') items.push({ type: m.role, text: m.content });
    else {
      const last = items.at(-1);
      const turn = last?.type === 'model' ? last : { type: 'model' as const, response: [] };
      if (turn !== last) items.push(turn);
      if (m.content !== '') turn.response.push(m.content);
      for (const call of m.tool_calls ?? []) {
        const item = callOf(call);
        open.set(call.id, item);
        turn.response.push(item);
      }
    }
  }
  return items;
}

function schemaOf(schema: JsonSchema): GgufSchema {
  const { type, description, properties, items, minItems, maxItems } = schema;
  if (schema.enum) return { enum: [...schema.enum] };
  const needed = new Set(schema.required ?? []);
  const all = Object.entries(properties ?? {}).map(([name, one]) => {
    const inner = schemaOf(one);
    return [name, needed.has(name) ? inner : { oneOf: [inner, { type: 'null' }] }] as const;
  });
  return {
    type: type ?? 'object',
    ...(description === undefined ? {} : { description }),
    ...(properties ? { properties: Object.fromEntries(all) } : {}),
    ...(items ? { items: schemaOf(items) } : {}),
    ...(minItems === undefined ? {} : { minItems }),
    ...(maxItems === undefined ? {} : { maxItems }),
  };
}

export const toGgufFunctions = (tools: readonly ToolSpec[]): GgufFunctions =>
  Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      { description, ...(parameters.properties ? { params: schemaOf(parameters) } : {}) },
    ]),
  );

/** Without what was left out. */
export function argumentsOf(params: unknown): string {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    return JSON.stringify(params ?? {});
  return JSON.stringify(
    Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)),
  );
}
