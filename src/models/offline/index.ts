// Rules in the place of a language model: a pure function of messages and tools, so that a resumed run goes on
// where it was. Never claims to be intelligent: whatever it makes carries the label.
import { type Message, type ModelChunk, noUsage, type ToolSpec } from '../../domain/message.ts';
import type { Provider } from '../provider.ts';
import { LABEL } from './label.ts';
import { mainStep } from './main-agent.ts';
import { languageOfTask, roleScript } from './role.ts';
import { type Reply, replay } from './script.ts';
import { readTurn } from './transcript.ts';

export function offlineStep(messages: readonly Message[], tools: readonly ToolSpec[]): Reply {
  const turn = readTurn(messages, tools);
  const reply =
    turn.role === 'main'
      ? mainStep(turn)
      : replay(roleScript(turn.role, turn.human), turn.since, turn.tools, turn.unique);
  const first = turn.since.every((m) => m.role !== 'assistant');
  if (!first || reply.calls.length === 0) return reply;
  return { ...reply, text: `${LABEL[languageOfTask(turn.human)]}\n${reply.text}` };
}

export const offlineProvider: Provider = {
  name: 'offline',
  place: 'inproc',
  problem: null,
  // Rules read every message, and the plan of the work stands in the first ones.
  context: 'endless',
  async *stream({ messages, tools }): AsyncGenerator<ModelChunk> {
    const { text, calls } = offlineStep(messages, tools);
    if (text !== '') yield { type: 'text', text };
    for (const call of calls) yield { type: 'tool_call', call };
    yield {
      type: 'end',
      finish: calls.length > 0 ? 'tool_calls' : 'stop',
      model: 'offline',
      usage: { ...noUsage(), model_calls: 1 },
    };
  },
};
