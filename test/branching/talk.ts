// Conversations for the tests of this room: so many calls of such tools, so many turns.

import type { Facts } from '../../src/branching/index.ts';
import { pointsScore, ratioScore, readGate, workIn } from '../../src/branching/index.ts';
import type { Message } from '../../src/domain/message.ts';

export type Talk = {
  /** Names of the tools that are called, one call each. */
  calls?: readonly string[];
  /** Answers without calls. */
  turns?: number;
  /** So many of all messages of the assistant show reasoning. */
  reasoning?: number;
  /** Filled up with notices to so many. */
  messages?: number;
};

export const times = (tool: string, count: number): string[] =>
  Array.from({ length: count }, () => tool);

export function talk({ calls = [], turns = 0, reasoning = 0, messages = 0 }: Talk): Message[] {
  const made: Message[] = [{ role: 'user', content: 'Do the work' }];
  let thinking = reasoning;
  const thought = () => (thinking-- > 0 ? '<thinking>so</thinking>' : 'done');
  if (calls.length > 0) {
    const tool_calls = calls.map((name, i) => ({ id: `c${i}`, name, arguments: '{}' }));
    made.push({ role: 'assistant', content: thought(), tool_calls });
    for (const { id, name } of tool_calls)
      made.push({ role: 'tool', tool_call_id: id, tool_name: name, content: 'ok' });
  }
  for (let i = 0; i < turns; i++) made.push({ role: 'assistant', content: thought() });
  while (made.length < messages) made.push({ role: 'user', kind: 'notice', content: 'a notice' });
  return made;
}

export const REQUEST = 'Fix the login bug and update the README of the API';
export const COMPLEX = talk({ calls: ['read', 'grep', 'shell'] });

/** Facts under which a request branches, with changes. */
export function facts(changes: Partial<Facts> = {}, messages = COMPLEX, request = REQUEST): Facts {
  const work = workIn(messages, 'turn');
  const gate = readGate(request);
  return {
    mode: 'auto',
    trigger: 'first_round',
    already_branched: false,
    already_delegating: work.delegated,
    branch_level: 0,
    branch_depth: 1,
    can_spawn: true,
    paused: null,
    gate,
    parts: gate.parts.length,
    scores: { ratio: ratioScore(work), points: pointsScore(work) },
    combine: 'auto',
    slots_free: 30,
    nodes: 1,
    max_nodes: 40,
    steps_left: 99,
    fan_out: 3,
    ...changes,
  };
}
