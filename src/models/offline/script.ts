// What an agent does, written as one straight line: a generator that yields tool calls and receives their outcomes.
// It is run from its start at every model step and fed with the recorded results, so the step is a pure function
// of the messages and a resumed run goes on where it was.
import type { Message, ToolCall } from '../../domain/message.ts';

export type Call = { tool: string; args: Record<string, unknown> };
export type Outcome = { ok: boolean; content: string };
/** `say`: one line for whoever watches. */
export type Step = { say: string; calls: Call[] };
/** Returns the final answer. */
export type Script<T = string> = Generator<Step, T, Outcome[]>;

export type Reply = { text: string; calls: ToolCall[] };

type ToolMessage = Extract<Message, { role: 'tool' }>;
type Recorded = { names: string[]; outcomes: Outcome[] };

/** The tool steps of this turn, oldest first. */
function recorded(turn: readonly Message[]): Recorded[] {
  const results = new Map<string, ToolMessage>();
  for (const m of turn) if (m.role === 'tool') results.set(m.tool_call_id, m);
  return turn.flatMap((m) => {
    if (m.role !== 'assistant' || !m.tool_calls?.length) return [];
    const outcomes = m.tool_calls.map((call): Outcome => {
      const result = results.get(call.id);
      return result
        ? { ok: !result.is_error, content: result.content }
        : { ok: false, content: 'there is no result of this call' };
    });
    return [{ names: m.tool_calls.map((c) => c.name), outcomes }];
  });
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, i) => name === b[i]);

/**
 * The next step of the script after `turn` (the messages since the human text). `tools`: names that may be called;
 * a call of another one fails at once. `unique`: prefix of the call ids, different for every step of the thread.
 */
export function replay(
  script: Script,
  turn: readonly Message[],
  tools: ReadonlySet<string>,
  unique: string,
): Reply {
  const past = recorded(turn);
  let next = script.next();
  while (!next.done) {
    const { say, calls } = next.value;
    const possible = calls.filter((c) => tools.has(c.tool));
    const names = possible.map((c) => c.tool);
    // Steps that somebody else took on this thread do not belong to the script.
    const at = past.findIndex((p) => same(p.names, names));
    if (possible.length > 0 && at < 0)
      return {
        text: say,
        calls: possible.map((c, i) => ({
          id: `${unique}_${i}`,
          name: c.tool,
          arguments: JSON.stringify(c.args),
        })),
      };
    const taken = possible.length > 0 ? past.splice(0, at + 1).at(-1) : undefined;
    let used = 0;
    next = script.next(
      calls.map((c): Outcome => {
        if (!tools.has(c.tool)) return { ok: false, content: `there is no tool "${c.tool}" here` };
        return taken?.outcomes[used++] ?? { ok: false, content: 'there is no result of this call' };
      }),
    );
  }
  return { text: next.value, calls: [] };
}

/** One call and its outcome. */
export function* one(say: string, tool: string, args: Call['args']): Script<Outcome> {
  const [outcome] = yield { say, calls: [{ tool, args }] };
  return outcome ?? { ok: false, content: '' };
}
