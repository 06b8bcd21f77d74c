// What the remember role would keep, by layer: each with its file, evidence and note; approved, edited or rejected.
import { useState } from 'preact/hooks';
import { bytes, visible } from '../format.ts';
import { download } from '../net/api.ts';
import { Act } from '../parts/basics.tsx';
import { decide, type Proposal, type Review } from '../state/reviews.ts';

const LAYERS = ['user/profile', 'project/context', 'domain/knowledge'];
const GUIDE: Record<string, string> = {
  'user/profile': 'What this user likes and how they work, in every project.',
  'project/context': 'What holds in this project: decisions, interfaces, conventions.',
  'domain/knowledge': 'What is true beyond this project.',
};
type Draft = {
  keep: boolean;
  layer: string;
  rationale: string;
  note: string;
  reason: string;
};
const draftOf = ({ layer, rationale, note }: Proposal): Draft => ({
  ...{ keep: true, reason: '' },
  ...{ layer, rationale, note },
});
const isEdited = (item: Proposal, draft: Draft): boolean =>
  draft.layer !== item.layer || draft.rationale !== item.rationale || draft.note !== item.note;

function Proof({ item }: { item: Proposal }) {
  return (
    <details>
      <summary>
        Confidence {Math.round(item.confidence * 100)} %, evidence: {item.evidence.length}
      </summary>
      {item.confidence_why.length > 0 && (
        <p class="dim">{item.confidence_why.map(visible).join('; ')}</p>
      )}
      {item.evidence.map((line) => (
        <pre key={`${line.path}:${line.from}`} class="plain">
          {visible(`${line.path}:${line.from}-${line.to}\n${line.quote}`)}
        </pre>
      ))}
    </details>
  );
}

function Item(props: {
  item: Proposal;
  draft: Draft;
  query_id: string;
  set: (draft: Draft) => void;
}) {
  const { item, draft, set } = props;
  const change = (patch: Partial<Draft>): void => set({ ...draft, ...patch });
  const { path } = item;
  const file = `/v1/queries/${props.query_id}/files/${path.split('/').map(encodeURIComponent).join('/')}`;
  return (
    <li class={`proposal ${draft.keep ? '' : 'rejected'}`}>
      <div class="buttons">
        <label class="inline">
          <input
            type="checkbox"
            checked={draft.keep}
            onChange={(e) => set({ ...draft, keep: e.currentTarget.checked })}
          />
          <b>{visible(path)}</b>
        </label>
        <span class="dim">{bytes(item.file_size)}</span>
        <Act
          label="File"
          kind="quiet"
          run={() => download(file, path.split('/').at(-1) ?? 'file')}
        />
      </div>
      {draft.keep ? (
        <>
          <label>
            Layer
            <select value={draft.layer} onChange={(e) => change({ layer: e.currentTarget.value })}>
              {LAYERS.map((layer) => (
                <option key={layer}>{layer}</option>
              ))}
            </select>
          </label>
          <label>
            Why
            <input
              value={draft.rationale}
              onInput={(e) => change({ rationale: e.currentTarget.value })}
            />
          </label>
          <label>
            Note
            <textarea
              rows={4}
              value={draft.note}
              onInput={(e) => change({ note: e.currentTarget.value })}
            />
          </label>
        </>
      ) : (
        <label>
          Why not (optional)
          <input
            value={draft.reason}
            onInput={(e) => set({ ...draft, reason: e.currentTarget.value })}
          />
        </label>
      )}
      <Proof item={item} />
    </li>
  );
}

export function Proposals({ review }: { review: Review }) {
  const items = review.request.items ?? [];
  const [drafts, setDrafts] = useState(() => new Map(items.map((i) => [i.path, draftOf(i)])));
  const set = (path: string, draft: Draft): void => setDrafts(new Map(drafts).set(path, draft));
  const of = (item: Proposal): Draft => drafts.get(item.path) ?? draftOf(item);
  const kept = items.filter((item) => of(item).keep).length;
  const edited = items.some((item) => of(item).keep && isEdited(item, of(item)));
  const decision = {
    items: items.map((item) => {
      const { keep, layer, rationale, note, reason } = of(item);
      const { path } = item;
      if (!keep) return { path, decision: 'reject', ...(reason.trim() !== '' && { reason }) };
      const changes = isEdited(item, of(item)) ? { layer, rationale, note } : {};
      return { path, decision: 'approve', ...changes };
    }),
  };
  return (
    <>
      <p class="asked">
        Remember {items.length === 1 ? 'this file' : `these ${items.length} files`}?
      </p>
      {LAYERS.filter((layer) => items.some((i) => draftOf(i).layer === layer)).map((layer) => (
        <section key={layer} aria-label={layer}>
          <h2>{layer}</h2>
          <p class="dim">{GUIDE[layer]}</p>
          <ul class="stack">
            {items
              .filter((i) => draftOf(i).layer === layer)
              .map((item) => (
                <Item
                  key={item.path}
                  item={item}
                  draft={of(item)}
                  query_id={review.query_id}
                  set={(draft) => set(item.path, draft)}
                />
              ))}
          </ul>
        </section>
      ))}
      <div class="buttons">
        <Act
          label={
            kept === 0 ? 'Remember nothing' : `${edited ? 'Edit & approve' : 'Approve'} ${kept}`
          }
          kind="primary"
          run={() => decide(review, decision)}
        />
        <Act label="Reject all" kind="danger" run={() => decide(review, { decision: 'reject' })} />
      </div>
    </>
  );
}
