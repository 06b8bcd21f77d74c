// Decides whether a tool call may run: the tool is offered, its arguments parse and fit. Pure.
// Never turns broken arguments into empty ones.
import type { JsonSchema, ToolCall, ToolSpec } from '../domain/message.ts';
import type { CheckedCall } from './middleware.ts';
import { problemsOf } from './schema.ts';

export type Check = { ok: true; call: CheckedCall } | { ok: false; message: string };

/** Many models send null for an optional argument that they leave out. */
function asMeant(value: unknown, spec: ToolSpec): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const required = new Set(spec.parameters.required ?? []);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => item !== null || required.has(name))
      .map(([name, item]) => [name, mended(spec.parameters.properties?.[name], item)]),
  );
}

/** Many models write numbers, yes or no, and lists as text: it is taken for what the tool wants where it is that. */
function mended(schema: JsonSchema | undefined, value: unknown): unknown {
  const { type } = schema ?? {};
  if (typeof value !== 'string' || type === undefined || type === 'string') return value;
  try {
    const meant: unknown = JSON.parse(value);
    return problemsOf({ type }, meant).length === 0 ? meant : value;
  } catch {
    return value;
  }
}

/** `cut`: the answer ended at its length limit, which explains arguments that end in the middle. */
export function checkCall(call: ToolCall, offered: readonly ToolSpec[], cut: boolean): Check {
  const spec = offered.find((s) => s.name === call.name);
  if (!spec) {
    const names = offered.map((s) => s.name).join(', ') || 'none';
    return { ok: false, message: `unknown tool "${call.name}"; you may use: ${names}` };
  }
  const wrong = (why: string): Check => ({
    ok: false,
    message: `The call of ${call.name} did not run: ${why}\nIts parameters are: ${JSON.stringify(spec.parameters)}`,
  });
  let value: unknown;
  try {
    value = JSON.parse(call.arguments.trim() === '' ? '{}' : call.arguments);
  } catch (error) {
    const why = cut ? ' (your answer was cut at its length limit; send less at once)' : '';
    return wrong(`its arguments are not valid JSON: ${(error as Error).message}${why}`);
  }
  const args = asMeant(value, spec);
  const problems = problemsOf({ type: 'object', ...spec.parameters }, args);
  if (problems.length > 0) return wrong(`${problems.join('; ')}.`);
  return {
    ok: true,
    call: { id: call.id, name: call.name, args: args as Record<string, unknown> },
  };
}
