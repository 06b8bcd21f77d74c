// The inbox over the memory room: a review of proposals, as the runtime opens it.
import { silentLog, systemClock } from '../../src/domain/ports.ts';
import type { Proposal } from '../../src/domain/proposal.ts';
import { createReviews } from '../../src/reviews/index.ts';
import type { openMemory } from './kit.ts';

export const aProposal = (path: string, more: Partial<Proposal> = {}): Proposal => ({
  ...{ path, layer: 'project/context', rationale: 'It decides.', note: `The point of ${path}.` },
  ...{ evidence: [], confidence: 0.5, confidence_why: [], file_size: 10, ...more },
});

export function openReviews({ store, memory }: Awaited<ReturnType<typeof openMemory>>) {
  const reviews = createReviews({
    ...{ store, clock: systemClock, log: silentLog, timeout_s: 600 },
    effects: { memory: memory.proposals.decided },
  });
  return {
    decide: (id: string, decision: object) => reviews.decide(id, { ...decision }, 'somebody'),
    open: (query_id: string, items: Proposal[]) =>
      reviews.open({
        ...{ kind: 'memory', query_id, task_id: null, agent_id: null, role: 'remember' },
        ...{ path: ['main agent'], context: 'x', request: { items }, blocking: false },
        ...{ run_id: null, call_id: null, timeout_s: 600 },
      }),
  };
}
