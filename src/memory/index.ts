// Composes the room: what agents ask of memory, and the services behind the routes.
import type { AgentMemory, BrainAnswer, Delegation, Speaker } from '../domain/brain.ts';
import { AppError } from '../domain/errors.ts';
import { DEFAULT_PROJECT, type MemoryAnswer, type MemoryCall } from '../domain/memory.ts';
import type { Embedder } from '../domain/memory-ports.ts';
import type { Log, Store } from '../domain/ports.ts';
import { oneLine } from '../domain/text.ts';
import { visibleText } from '../domain/visible-text.ts';
import { createBrain } from './brain.ts';
import { checkLayer, createLongTerm, type Teller } from './long-term.ts';
import { createRecall } from './recall.ts';
import { createProposals } from './remember/index.ts';
import type { LookAt, Mask } from './remember/propose.ts';
import { withUnused } from './report.ts';
import { createSearch } from './search.ts';

export type MemoryDeps = {
  store: Store;
  embedder: Embedder | null;
  /** Files of working folders, for who checks what is proposed about them. */
  lookAt: LookAt;
  /** Masks secrets. */
  mask: Mask;
  log: Log;
};

/** An error that the agent can do something about; storage and shutdown are not its business. */
function refusal(error: unknown): { ok: false; code: AppError['code']; message: string } {
  if (error instanceof AppError && !/^(storage_|shutting_down|internal)/.test(error.code))
    return { ok: false, code: error.code, message: error.message };
  throw error;
}

export function createMemory({ store, embedder, lookAt, mask, log }: MemoryDeps) {
  const { reads } = store;
  const search = createSearch({ reads: reads.memory, embedder, log });
  const longTerm = createLongTerm({ store, search, embedder, log });
  const brain = createBrain({ store });
  const projectOf = async (query_id: string): Promise<string> =>
    (await reads.queries.get(query_id))?.options.project ?? DEFAULT_PROJECT;
  const proposals = createProposals({ store, longTerm, lookAt, mask });
  const recall = createRecall({ reads, search, projectOf });
  const closing = new AbortController();

  async function remember(by: Speaker, call: MemoryCall): Promise<MemoryAnswer> {
    const { query_id, task_id, agent_id, role, run_id } = by;
    const project = await projectOf(query_id);
    if (call.op === 'search') {
      const layer = call.layer === null ? null : checkLayer(call.layer);
      const records = await longTerm.search(call.query, { project, layer }, call.n);
      return { ok: true, op: 'search', records };
    }
    const teller: Teller & { project: string } = {
      source: agent_id === null ? 'main-agent' : `${role} ${agent_id}`,
      project,
      call: { run_id, call_id: call.call_id },
      ids: { query_id, task_id, agent_id, role },
    };
    const record =
      call.op === 'store'
        ? await longTerm.store(call, teller)
        : await longTerm.correct(call, teller);
    return { ok: true, op: call.op, record };
  }

  /** One note for a child that has left none, so that its siblings learn what came of it too. */
  async function noteOutcome(ended: Delegation): Promise<void> {
    const { query_id, task_id, agent_id, run_id, role, status, result } = ended;
    if (status === 'cancelled') return;
    if ((await reads.queries.get(query_id))?.kind !== 'agent') return;
    await brain.flush();
    if (await reads.brain.hasNoted(run_id)) return;
    const first = oneLine(visibleText(result).split('\n', 1)[0] ?? '', 300);
    const note = `${status === 'failed' ? 'failure' : 'result'} of ${role}: ${first || 'no text'}`;
    const branch = await brain.branchOf(task_id);
    const kind = 'outcome' as const;
    // Its own call id makes it one for each outcome, whoever asks again.
    const made = brain.add({
      ...{ query_id, kind, author: agent_id, role, task_id, branch, note, run_id },
      call_id: 'outcome',
    });
    await brain.flush();
    await made;
  }

  const agents: AgentMemory = {
    memory: (by, call) => remember(by, call).catch(refusal),
    async brain(by, call): Promise<BrainAnswer> {
      try {
        if (call.op === 'query')
          return { ok: true, op: 'query', ...(await brain.query(by.query_id, call)) };
        return { ok: true, op: 'record', ...(await brain.record(by, call.call_id, call.note)) };
      } catch (error) {
        return refusal(error);
      }
    },
    recall: (query_id, message) =>
      recall(query_id, message).catch((error: unknown) => {
        log.warn({ err: error, query_id }, 'began without its memory');
        return '';
      }),
    onDelegation: (ended) =>
      noteOutcome(ended).catch((error: unknown) =>
        log.warn({ err: error, task_id: ended.task_id }, 'an outcome was not noted'),
      ),
    async withUnusedNotes(query_id, since, answer) {
      try {
        const notes = await brain.every(query_id);
        const request = (await reads.queries.get(query_id))?.input ?? answer;
        const news = notes.filter(({ at }) => at >= since);
        return withUnused(answer, news, request);
      } catch (error) {
        log.warn({ err: error, query_id }, 'the answer does not name its unused notes');
        return answer;
      }
    },
  };

  return {
    agents,
    longTerm,
    proposals,
    brain,
    /**
     * Makes up for vectors that are missing: at the start, and for what a person has approved. In the background,
     * since it asks a model.
     */
    fillVectors(): void {
      longTerm
        .fillVectors(closing.signal)
        .then((filled) => filled > 0 && log.info({ filled }, 'memory has its vectors'))
        .catch((error: unknown) => log.warn({ err: error }, 'memory is searched by words for now'));
    },
    async close(): Promise<void> {
      closing.abort();
      await brain.flush();
    },
  };
}
export type Memory = ReturnType<typeof createMemory>;
