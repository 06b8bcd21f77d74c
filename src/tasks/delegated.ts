// Tells memory of each outcome of a child, before anybody else is told of it. What a crash kept from being told is
// told at the next start; memory keeps one for each outcome.
import type { AgentMemory } from '../domain/brain.ts';
import type { Reads } from '../domain/ports.ts';
import type { Task } from '../domain/task.ts';

export type DelegatedDeps = { reads: Reads; memory: AgentMemory };

export function createDelegated({ reads, memory }: DelegatedDeps) {
  async function tell(task: Task): Promise<void> {
    const { query_id, task_id, status, description: goal, result, error } = task;
    if (status !== 'completed' && status !== 'failed' && status !== 'cancelled') return;
    const agent = (await reads.subagents.ofTask(task_id)).at(-1);
    if (!agent) return;
    const { agent_id, run_id, role } = agent;
    const text = result ?? error?.message ?? '';
    await memory.onDelegation({
      ...{ query_id, task_id, agent_id, run_id, role, goal, status },
      result: status === 'failed' ? (error?.message ?? text) : text,
    });
  }
  return {
    async ended(task_id: string): Promise<void> {
      const task = await reads.tasks.get(task_id);
      if (task) await tell(task);
    },
    /** Outcomes in queries that are still open. */
    async catchUp(): Promise<void> {
      for (const { query_id } of await reads.queries.open())
        for (const task of await reads.tasks.ofQuery(query_id)) await tell(task);
    },
  };
}
