// What the messages say: who the agent is, what the person asked last, and what has happened since.
import type { Message, ToolSpec } from '../../domain/message.ts';

export type Turn = {
  /** `main` or the name of a role. */
  role: string;
  /** The last text of a person (or of the agent that gave the task). */
  human: string;
  /** Messages after it. */
  since: Message[];
  tools: ReadonlySet<string>;
  /** Different at every step of a thread; the ids of tool calls begin with it. */
  unique: string;
};

export function readTurn(messages: readonly Message[], tools: readonly ToolSpec[]): Turn {
  const names = new Set(tools.map((t) => t.name));
  const system = messages.find((m) => m.role === 'system')?.content ?? '';
  const named = (/^role:[ \t]*([\w.-]+)/im.exec(system) ??
    /\byou are the ([\w.-]+) agent\. model:/i.exec(system))?.[1]?.toLowerCase();
  const at = messages.findLastIndex((m) => m.role === 'user' && m.kind !== 'notice');
  return {
    role: named ?? (names.has('start_async_task') ? 'main' : 'coder'),
    human: at < 0 ? '' : (messages[at]?.content ?? ''),
    since: messages.slice(at + 1),
    tools: names,
    unique: `off_${messages.length}`,
  };
}
