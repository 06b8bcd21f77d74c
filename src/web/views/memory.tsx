// Long-term memory: what is remembered, by layer and status; searched, corrected, with its history.
import { useEffect, useState } from 'preact/hooks';
import { day, visible } from '../format.ts';
import { get, type Page, post, query as search } from '../net/api.ts';
import { Act, Dialog, Empty, Trouble } from '../parts/basics.tsx';
import { route, setParam } from '../route.ts';
import { title } from '../state/reviews.ts';

type MemoryRow = {
  record_id: string;
  layer: string;
  content: string;
  scope_key: string;
  source: string;
  tags: string[];
  status: string;
  correction_of: string | null;
  reason?: string | null;
  created_at: string;
};
const LAYERS = ['user/profile', 'project/context', 'domain/knowledge'];

function Correct({ row, onDone }: { row: MemoryRow; onDone: () => void }) {
  const [text, setText] = useState(row.content);
  const [reason, setReason] = useState('');
  return (
    <Dialog title="Correct this memory" onClose={onDone}>
      <p class="dim">The new text takes its place; the old one stays in the history.</p>
      <label>
        What is true instead
        <textarea rows={6} value={text} onInput={(e) => setText(e.currentTarget.value)} />
      </label>
      <label>
        Why (optional)
        <input value={reason} onInput={(e) => setReason(e.currentTarget.value)} />
      </label>
      <div class="buttons">
        <button type="button" onClick={onDone}>
          Leave it
        </button>
        <Act
          label="Correct"
          kind="primary"
          disabled={text.trim() === '' || text === row.content}
          run={async () => {
            await post(`/v1/memory/${row.record_id}/correct`, {
              replacement: text,
              ...(reason.trim() !== '' && { reason }),
            });
            onDone();
          }}
        />
      </div>
    </Dialog>
  );
}

function History({ id, onDone }: { id: string; onDone: () => void }) {
  const [rows, setRows] = useState<MemoryRow[]>([]);
  useEffect(() => {
    get<Page<MemoryRow>>(`/v1/memory/${id}/history`).then(({ data }) => setRows(data), onDone);
  }, [id]);
  return (
    <Dialog title="History" onClose={onDone}>
      <ol>
        {rows.map((row) => (
          <li key={row.record_id}>
            <p class="dim">
              {day(row.created_at)}, {row.status}, by {row.source}
              {row.reason ? `: ${visible(row.reason)}` : ''}
            </p>
            <pre class="plain">{visible(row.content)}</pre>
          </li>
        ))}
      </ol>
      <button type="button" onClick={onDone}>
        Close
      </button>
    </Dialog>
  );
}

function Record({ row, reload }: { row: MemoryRow; reload: () => void }) {
  const [open, setOpen] = useState<'correct' | 'history' | null>(null);
  const close = (): void => {
    setOpen(null);
    reload();
  };
  return (
    <li class={`memory-row ${row.status}`}>
      <p class="dim">
        <b>{row.layer}</b> · {row.scope_key} · {row.source} · {day(row.created_at)}
        {row.status === 'superseded' && ' · superseded'}
        {row.tags.map((tag) => (
          <span key={tag} class="tag">
            {visible(tag)}
          </span>
        ))}
      </p>
      <pre class="plain">{visible(row.content)}</pre>
      <div class="buttons">
        {row.status === 'active' && (
          <button type="button" class="quiet" onClick={() => setOpen('correct')}>
            Correct
          </button>
        )}
        <button type="button" class="quiet" onClick={() => setOpen('history')}>
          History
        </button>
      </div>
      {open === 'correct' && <Correct row={row} onDone={close} />}
      {open === 'history' && <History id={row.record_id} onDone={close} />}
    </li>
  );
}

function Filters() {
  const { params } = route.value;
  const field = (name: string, label: string, options: string[]) => (
    <label>
      <span class="hidden">{label}</span>
      <select
        value={params.get(name) ?? ''}
        onChange={(e) => setParam(name, e.currentTarget.value)}
      >
        <option value="">{label}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="filters" role="search">
      <label>
        <span class="hidden">Search memory</span>
        <input
          id="search"
          type="search"
          placeholder="What is remembered about …   /"
          value={params.get('q') ?? ''}
          onInput={(e) => setParam('q', e.currentTarget.value)}
        />
      </label>
      {field('layer', 'Every layer', LAYERS)}
      {(params.get('q') ?? '') === '' && field('status', 'Every status', ['active', 'superseded'])}
    </div>
  );
}

export function Memory() {
  const { params } = route.value;
  const [rows, setRows] = useState<MemoryRow[] | null>(null);
  const [error, setError] = useState('');
  const [asked, setAsked] = useState(0);
  const filter = search({
    q: params.get('q') ?? '',
    layer: params.get('layer') ?? '',
    status: (params.get('q') ?? '') === '' ? (params.get('status') ?? '') : '',
    limit: 100,
  });
  useEffect(() => {
    title.value = 'Memory · Troupe';
    let old = false;
    const timer = setTimeout(() => {
      get<Page<MemoryRow>>(`/v1/memory${filter}`).then(
        ({ data }) => {
          if (old) return;
          setRows(data);
          setError('');
        },
        (reason: Error) => !old && setError(reason.message),
      );
    }, 150);
    return () => {
      old = true;
      clearTimeout(timer);
    };
  }, [filter, asked]);
  const reload = (): void => setAsked(asked + 1);
  return (
    <section aria-label="Memory">
      <h1>Memory</h1>
      <Filters />
      {error && <Trouble text={error} retry={reload} />}
      {rows?.length === 0 && (
        <Empty
          title={
            filter.includes('q=') ? 'Nothing is remembered about that' : 'Nothing is remembered yet'
          }
        >
          <p>Agents store what lasts, and a review of a query's files adds what you approve.</p>
        </Empty>
      )}
      <ul class="rows">
        {(rows ?? []).map((row) => (
          <Record key={row.record_id} row={row} reload={reload} />
        ))}
      </ul>
    </section>
  );
}
