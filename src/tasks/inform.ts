// What a run is told before it starts: what is remembered for its task, and what is known of calls whose result is lost.
import type { AgentMemory } from '../domain/brain.ts';
import type { Reads } from '../domain/ports.ts';
import { interruptedNote } from './forensics.ts';
import type { LiveRun } from './live.ts';

export type InformDeps = { reads: Reads; memory: AgentMemory };

export function createInform({ reads, memory }: InformDeps) {
  /** The last thing that a person or a parent has said on the thread. */
  async function lastMessage(agent_id: string): Promise<string> {
    const agent = await reads.subagents.get(agent_id);
    if (!agent) return '';
    const { messages } = await reads.checkpoints.thread(agent.task_id);
    const last = messages.findLast((m) => m.role === 'user' && m.kind !== 'notice');
    return last?.content ?? '';
  }
  return async function inform(run: LiveRun, resumed: boolean): Promise<void> {
    if (resumed) run.interrupted = await interruptedNote(reads, run.agent_id);
    run.recalled = await memory.recall(run.query_id, () => lastMessage(run.agent_id));
  };
}
