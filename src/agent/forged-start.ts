// A leaf has no tool to start an agent. One that calls it all the same is refused by main, which keeps the refusal.
import type { ToolCall, ToolSpec } from '../domain/message.ts';
import type { RunState } from './agent-run.ts';
import type { Check } from './check-call.ts';

const START = 'start_async_task';

function argumentsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const word = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value.trim() !== '' ? value : otherwise;

/** The checks, with main's words for the starts that a leaf has forged. */
export async function withForgedStarts(
  { run, signal }: RunState,
  calls: readonly ToolCall[],
  checks: readonly Check[],
  offered: readonly ToolSpec[],
): Promise<Check[]> {
  if (!run.leaf || offered.some(({ name }) => name === START)) return [...checks];
  return Promise.all(
    checks.map(async (check, i): Promise<Check> => {
      const call = calls[i];
      if (check.ok || call?.name !== START) return check;
      const args = argumentsOf(call.arguments);
      const subagent_type = word(args.subagent_type, '(none)');
      const description = word(args.description, '(none)');
      const ask = { op: 'start', call_id: call.id, subagent_type, description } as const;
      const answer = await run.host.tasks(ask, signal);
      return answer.ok ? check : { ok: false, message: `${check.message}\n${answer.message}` };
    }),
  );
}
