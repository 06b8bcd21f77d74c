// All queries: what needs a person, what runs, what has ended; and the form that starts one.
import { useEffect, useState } from 'preact/hooks';
import { now } from '../clock.ts';
import { count, day, duration, firstLine, usd, visible } from '../format.ts';
import { curlOf, post } from '../net/api.ts';
import { Act, Code, Elapsed, Empty, State, Trouble } from '../parts/basics.tsx';
import { go, hrefOf, route, setParam } from '../route.ts';
import {
  atWork,
  isOpen,
  listError,
  loading,
  loadQueries,
  nextCursor,
  queries,
} from '../state/queries.ts';
import { title } from '../state/reviews.ts';
import type { Query } from '../state/shapes.ts';
import { SILENT_MS } from '../timeline/rows.ts';
import type { Track } from '../timeline/tracks.ts';
import { word } from '../words.ts';

type Group = 'needs' | 'running' | 'finished';
const GROUPS: { id: Group; title: string }[] = [
  { id: 'needs', title: 'Needs you' },
  { id: 'running', title: 'Running' },
  { id: 'finished', title: 'Finished' },
];
const groupOf = ({ status }: Query): Group =>
  status === 'waiting' ? 'needs' : isOpen(status) ? 'running' : 'finished';
const STATUSES = ['queued', 'running', 'waiting', 'completed', 'degraded', 'failed', 'cancelled'];

function shown(all: readonly Query[]): Query[] {
  const { params } = route.value;
  const status = params.get('status') ?? '';
  const text = (params.get('text') ?? '').toLowerCase();
  return all.filter(
    (q) =>
      (status === '' || q.status === status) &&
      (text === '' || `${q.input}\n${q.query_id}`.toLowerCase().includes(text)),
  );
}

const EXAMPLE = { input: 'Build a small todo REST API with tests' };

export function NewQuery() {
  const [input, setInput] = useState('');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  async function start(event: Event): Promise<void> {
    event.preventDefault();
    if (input.trim() === '' || busy) return;
    setBusy(true);
    try {
      const query = await post<Query>('/v1/queries', { input });
      setInput('');
      setError('');
      go('queries', query.query_id);
    } catch (reason) {
      setError((reason as Error).message);
    }
    setBusy(false);
  }
  return (
    <form class="new-query" onSubmit={start}>
      <label for="new-query">Ask the main agent</label>
      <textarea
        id="new-query"
        rows={2}
        value={input}
        placeholder={EXAMPLE.input}
        onInput={(event) => setInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void start(event);
        }}
      />
      <button type="submit" class="primary" disabled={busy || input.trim() === ''}>
        Start
      </button>
      {error && <Trouble text={error} />}
    </form>
  );
}

function Filters() {
  const { params } = route.value;
  return (
    <div class="filters" role="search">
      <label>
        <span class="hidden">Search</span>
        <input
          id="search"
          type="search"
          placeholder="Search   /"
          value={params.get('text') ?? ''}
          onInput={(event) => setParam('text', event.currentTarget.value)}
        />
      </label>
      <label>
        <span class="hidden">Status</span>
        <select
          value={params.get('status') ?? ''}
          onChange={(event) => setParam('status', event.currentTarget.value)}
        >
          <option value="">Every status</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {word(status)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function AgentLine({ track, query }: { track: Track; query: Query }) {
  const state = track.segments.at(-1)?.state ?? 'queued';
  const silent = state === 'running' ? now.value - track.last_at : 0;
  return (
    <li>
      <a class="agent" href={hrefOf('queries', query.query_id, { node: track.id })}>
        <span class="agent-name">{track.label}</span>
        <State state={state} />
        <span class="activity">{visible(track.activity || firstLine(track.description))}</span>
        <span class="dim">{track.model ?? ''}</span>
        {silent > SILENT_MS && <span class="silent">no progress for {duration(silent)}</span>}
        <Elapsed from={track.started_at} to={null} />
      </a>
    </li>
  );
}

function QueryRow({ query }: { query: Query }) {
  const live = atWork.value.get(query.query_id) ?? [];
  const open = isOpen(query.status);
  const title = firstLine(visible(query.input)) || query.query_id;
  return (
    <li class={`query-row group-${groupOf(query)}`}>
      <div class="query-head">
        <a class="query-title" href={hrefOf('queries', query.query_id)} data-row>
          {query.branched && <span title="It branched by itself">⚡ </span>}
          {title}
        </a>
        <State state={query.status} />
        <Elapsed
          from={Date.parse(query.created_at)}
          to={open ? null : Date.parse(query.updated_at)}
        />
        <span
          class="number dim"
          title={`${query.usage.input_tokens} in, ${query.usage.output_tokens} out`}
        >
          {count(query.usage.input_tokens + query.usage.output_tokens)} tokens
        </span>
        <span class="number dim">{usd(query.usage.cost_usd)}</span>
        <time class="dim" dateTime={query.created_at}>
          {day(query.created_at)}
        </time>
        {open && (
          <Act
            label="Cancel"
            kind="quiet"
            title="Stops the query and every task under it"
            run={() => post(`/v1/queries/${query.query_id}/cancel`)}
          />
        )}
      </div>
      {open && live.length > 0 && (
        <ul class="agents">
          {live.slice(0, 12).map((track) => (
            <AgentLine key={track.id} track={track} query={query} />
          ))}
          {live.length > 12 && <li class="dim">and {live.length - 12} more</li>}
        </ul>
      )}
    </li>
  );
}

export function Queries() {
  useEffect(() => {
    title.value = 'Queries · Troupe';
  }, []);
  const rows = shown(queries.value);
  const none = !loading.value && queries.value.length === 0 && !listError.value;
  return (
    <section aria-label="Queries">
      <NewQuery />
      <Filters />
      {listError.value && <Trouble text={listError.value} retry={() => void loadQueries()} />}
      {loading.value && <p class="dim">Loading …</p>}
      {none && (
        <Empty title="No queries yet">
          <p>Ask above, or from a terminal:</p>
          <Code text={curlOf('POST', '/v1/queries', EXAMPLE)} label="The same by curl" />
        </Empty>
      )}
      {!none && rows.length === 0 && !loading.value && (
        <p class="dim">No query matches this search.</p>
      )}
      {GROUPS.map(({ id, title }) => {
        const group = rows.filter((q) => groupOf(q) === id);
        if (group.length === 0) return null;
        return (
          <section key={id} class="group" aria-label={title}>
            <h2>
              {title} <span class="dim">{group.length}</span>
            </h2>
            <ul class="rows">
              {group.map((query) => (
                <QueryRow key={query.query_id} query={query} />
              ))}
            </ul>
          </section>
        );
      })}
      {nextCursor.value && <Act label="Older queries" run={() => loadQueries(true)} />}
    </section>
  );
}
