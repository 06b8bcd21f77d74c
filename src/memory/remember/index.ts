// Proposals for memory as main sees them: made from the answer of an agent, put before a person as a review, and stored
// by the decision, in its unit of work.
import { AppError } from '../../domain/errors.ts';
import { DEFAULT_PROJECT, scopeOf } from '../../domain/memory.ts';
import type { RememberRound } from '../../domain/memory-ports.ts';
import type { Store, Tx } from '../../domain/ports.ts';
import { type Proposal, REMEMBER } from '../../domain/proposal.ts';
import type { MemoryDecided, Review } from '../../domain/review.ts';
import { visibleText } from '../../domain/visible-text.ts';
import type { createLongTerm, Teller } from '../long-term.ts';
import { APPROVED_SOURCE, contentOf, tagsOf } from './content.ts';
import { essence } from './likeness.ts';
import { type LookAt, type Mask, type Proposed, propose } from './propose.ts';

export type ProposalsDeps = {
  store: Store;
  longTerm: Pick<ReturnType<typeof createLongTerm>, 'keep'>;
  lookAt: LookAt;
  mask: Mask;
};

const approved = ({ decision }: MemoryDecided): boolean => decision !== 'reject';

export function createProposals({ store, longTerm, lookAt, mask }: ProposalsDeps) {
  const { reads } = store;

  async function queryOf(query_id: string): Promise<{ workdir: string; project: string }> {
    const query = await reads.queries.get(query_id);
    if (!query) throw new AppError('not_found', `query ${query_id} is gone`);
    return { workdir: query.workdir, project: query.options.project ?? DEFAULT_PROJECT };
  }

  /** The text of a file that is approved without a note. */
  async function fileText(workdir: string, path: string): Promise<string> {
    const look = await lookAt(workdir, path);
    const text = 'reason' in look ? null : look.text;
    if (text !== null && text.trim() !== '') return mask(visibleText(text));
    const why = 'reason' in look ? look.reason : 'it holds no text';
    throw new AppError(
      'decision_invalid',
      `"${path}" has no note, and its file cannot be remembered instead: ${why}. Give it a note, or reject it.`,
    );
  }

  return {
    /** What of an ended task's answer a person is asked about. */
    async made({ query_id, task_id }: RememberRound): Promise<Proposed> {
      const task = await reads.tasks.get(task_id);
      const { workdir, project } = await queryOf(query_id);
      const refused = await reads.remember.rejected(project);
      const { result, description: asked = '' } = task ?? {};
      const made = await propose({ answer: result ?? '', asked, workdir, refused, lookAt, mask });
      const fresh: Proposal[] = [];
      for (const item of made.proposals) {
        const { layer } = item;
        const content = contentOf(item, '');
        const scope_key = scopeOf(layer, project);
        const known = item.note !== '' && (await reads.memory.same({ layer, scope_key, content }));
        if (known) made.dropped.push({ path: item.path, reason: 'it is remembered already' });
        else fresh.push(item);
      }
      return { ...made, proposals: fresh };
    },

    /** The effect of a decision on a review of kind memory. */
    async decided(review: Review): Promise<(t: Tx) => Promise<void>> {
      if (review.kind !== 'memory' || !review.decision) return async () => {};
      const { items } = review.decision;
      const { query_id, review_id } = review;
      const { workdir, project } = await queryOf(query_id);
      const contents = new Map<string, string>();
      for (const item of items.filter(approved)) {
        const clean = (text: string): string => mask(visibleText(text));
        const { path, layer } = item;
        const said = { path, layer, rationale: clean(item.rationale), note: clean(item.note) };
        const text = said.note === '' ? await fileText(workdir, path) : '';
        contents.set(path, contentOf(said, text));
      }
      const ids = { query_id, task_id: null, agent_id: null, role: REMEMBER };
      const proposed = new Map(
        review.request.items.map((item): [string, Proposal] => [item.path, item]),
      );
      return async (t) => {
        for (const { path, decision, layer, reason } of items) {
          const content = contents.get(path);
          if (content === undefined) {
            const note = essence(proposed.get(path)?.note ?? '');
            await t.remember.reject({ project, path, essence: note, reason, rejected_at: t.at });
            continue;
          }
          const call = { run_id: review_id, call_id: path };
          const teller: Teller & { project: string } = {
            source: APPROVED_SOURCE,
            project,
            call,
            ids,
          };
          await longTerm.keep(
            t,
            { content, layer, tags: tagsOf(path, decision === 'edit') },
            teller,
          );
        }
      };
    },

    /** What became of the items of a decided review; `record_id` null: the same was remembered before. */
    async outcomeOf(review: Review) {
      const items = review.kind === 'memory' ? (review.decision?.items ?? []) : [];
      const kept = items.filter(approved).map(async ({ path, layer, decision }) => {
        const call = { run_id: review.review_id, call_id: path };
        const record_id = (await reads.memory.byCall(call))?.record_id ?? null;
        return { path, layer, record_id, edited: decision === 'edit' };
      });
      const rejected = items.filter((item) => !approved(item));
      return {
        approved: await Promise.all(kept),
        rejected: rejected.map(({ path, reason }) => ({ path, reason })),
      };
    },
  };
}
export type Proposals = ReturnType<typeof createProposals>;
