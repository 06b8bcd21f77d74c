// What is at work, as the event stream tells it: folded while it comes, so that a fault knows what it hits.
import type { TroupeEvent } from '../../src/domain/event.ts';

export type Now = { runs: number; tools: number; starting: number };

export function createNow() {
  const runs = new Set<string>();
  const tools = new Map<string, string>();
  const starting = new Set<string>();
  return {
    take({ kind, state, agent_id, data, query_id }: TroupeEvent): void {
      if (kind === 'subagent' && agent_id) {
        if (state === 'running') runs.add(agent_id);
        else runs.delete(agent_id);
        if (state !== 'running') for (const [id, a] of tools) if (a === agent_id) tools.delete(id);
      }
      if (kind === 'tool') {
        const id = `${agent_id ?? query_id} ${String(data.call_id)}`;
        if (state === 'started' && agent_id) tools.set(id, agent_id);
        else tools.delete(id);
      }
      if (kind === 'server') {
        const id = String(data.server_id);
        if (state === 'spawned') starting.add(id);
        else starting.delete(id);
      }
    },
    /** Main has ended: nothing of it starts any more. */
    restarted: (): void => starting.clear(),
    now: (): Now => ({ runs: runs.size, tools: tools.size, starting: starting.size }),
  };
}
