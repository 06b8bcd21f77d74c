// One query: what it was asked, its tree-timeline, what came out, and everything about the node that is picked.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { count, day, firstLine, usd, visible } from '../format.ts';
import { download, get, post, query as search } from '../net/api.ts';
import { Act, Elapsed, State, Trouble } from '../parts/basics.tsx';
import { CancelButton, openBelow } from '../parts/cancel.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { hrefOf, route, setParam } from '../route.ts';
import { isOpen } from '../state/queries.ts';
import { type OpenQuery, openQuery } from '../state/query.ts';
import { title } from '../state/reviews.ts';
import type { Query, TreeNode } from '../state/shapes.ts';
import { nodesOf } from '../timeline/rows.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { Branches } from './branches.tsx';
import { Panel } from './panel.tsx';

function Head({ query, tree }: { query: Query; tree: TreeNode | null }) {
  const open = isOpen(query.status);
  const [full, setFull] = useState(false);
  const long = query.input.length > 300 || query.input.includes('\n');
  return (
    <header class="query-page-head">
      <a href={hrefOf('queries')}>← Queries</a>
      <h1>
        {query.branched && <span title="It branched by itself">⚡ </span>}
        {visible(firstLine(query.input, 200))}
      </h1>
      {long && (
        <details open={full} onToggle={(e) => setFull(e.currentTarget.open)}>
          <summary>The whole request</summary>
          <pre class="plain">{visible(query.input)}</pre>
        </details>
      )}
      <p class="facts">
        <State state={query.status} />
        <Elapsed
          from={Date.parse(query.created_at)}
          to={open ? null : Date.parse(query.updated_at)}
        />
        <span>{count(query.usage.input_tokens + query.usage.output_tokens)} tokens</span>
        <span>{usd(query.usage.cost_usd)}</span>
        <span>{query.usage.model_calls} model calls</span>
        <time dateTime={query.created_at}>{day(query.created_at)}</time>
      </p>
      <div class="buttons">
        {open && (
          <CancelButton
            path={`/v1/queries/${query.query_id}/cancel`}
            what="the query"
            below={openBelow(tree)}
          />
        )}
        <Act
          label="Workspace .zip"
          run={() =>
            download(`/v1/queries/${query.query_id}/workspace.zip`, `${query.query_id}.zip`)
          }
        />
        <Act label="Events .jsonl" run={() => downloadEvents(query.query_id)} />
      </div>
    </header>
  );
}

async function downloadEvents(id: string): Promise<void> {
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const page: { data: object[]; next_cursor: string | null } = await get(
      `/v1/queries/${id}/events${search({ limit: 1_000, cursor })}`,
    );
    lines.push(...page.data.map((event) => JSON.stringify(event)));
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  const url = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`]));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${id}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function Answer({ query }: { query: Query }) {
  if (query.status === 'failed' && query.error)
    return (
      <section class="answer">
        <h2>Why it failed</h2>
        <p class="error">{visible(query.error.message)}</p>
        <ul>
          {query.error.reasons.map((reason) => (
            <li key={reason}>{visible(reason)}</li>
          ))}
        </ul>
      </section>
    );
  if (query.answer === null) return null;
  return (
    <section class="answer" aria-live="polite">
      <h2>Answer</h2>
      {query.status === 'degraded' && (
        <p class="warn">
          Something is missing{query.error ? `: ${visible(query.error.message)}` : ''}
        </p>
      )}
      <Markdown text={query.answer} />
    </section>
  );
}

function FollowUp({ query }: { query: Query }) {
  const [text, setText] = useState('');
  const [said, setSaid] = useState('');
  if (query.kind === 'direct') return null;
  async function tell(event: Event): Promise<void> {
    event.preventDefault();
    if (text.trim() === '') return;
    try {
      await post(`/v1/queries/${query.query_id}/messages`, { text });
      setText('');
      setSaid(
        isOpen(query.status) ? 'It will read that before its next step.' : 'A new turn starts.',
      );
    } catch (error) {
      setSaid((error as Error).message);
    }
  }
  return (
    <form class="follow-up" onSubmit={tell}>
      <label for="follow-up">{isOpen(query.status) ? 'Tell it while it works' : 'Follow up'}</label>
      <textarea
        id="follow-up"
        rows={2}
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
      />
      <button type="submit" disabled={text.trim() === ''}>
        Send
      </button>
      <span aria-live="polite">{said}</span>
    </form>
  );
}

function Body({ open }: { open: OpenQuery }) {
  const query = open.query.value;
  const tree = open.tree.value;
  const picked = route.value.params.get('node');
  const node = picked ? (nodesOf(tree).get(picked) ?? null) : null;
  useEffect(() => {
    if (query) title.value = `${firstLine(query.input, 60)} · Troupe`;
  }, [query?.input]);
  if (query === null)
    return open.error.value ? <Trouble text={open.error.value} /> : <p class="dim">Loading …</p>;
  return (
    <div class={`query-page ${picked ? 'with-panel' : ''}`}>
      <div class="query-main">
        <Head query={query} tree={tree} />
        <Timeline open={open} picked={picked} onPick={(id) => setParam('node', id ?? '')} />
        <Branches open={open} />
        <Answer query={query} />
        <FollowUp query={query} />
      </div>
      {picked && (
        <Panel
          key={picked}
          open={open}
          id={picked}
          node={node}
          onClose={() => setParam('node', '')}
        />
      )}
    </div>
  );
}

export function QueryPage({ id }: { id: string }) {
  const open = useMemo(() => openQuery(id), [id]);
  useEffect(() => () => open.close(), [open]);
  return <Body open={open} />;
}
