// Everything about one node: what it was told, what it says now, its tools, files, result, error, log and raw rows.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TroupeEvent } from '../../domain/event.ts';
import { clock, count, duration, usd, visible } from '../format.ts';
import { curlOf, get, post } from '../net/api.ts';
import { Act, Code, Facts, State, type Tab, Tabs, Trouble } from '../parts/basics.tsx';
import { CancelButton, openBelow } from '../parts/cancel.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { onEvents } from '../state/live.ts';
import type { OpenQuery } from '../state/query.ts';
import type { Task, TreeNode } from '../state/shapes.ts';
import { Files } from './files.tsx';
import { ServerLog } from './server-log.tsx';

type TabId = 'output' | 'tools' | 'prompt' | 'result' | 'files' | 'log' | 'raw';
const TABS: Tab<TabId>[] = [
  { id: 'output', label: 'Output' },
  { id: 'tools', label: 'Tools' },
  { id: 'prompt', label: 'Task' },
  { id: 'result', label: 'Result' },
  { id: 'files', label: 'Files' },
  { id: 'log', label: 'Log' },
  { id: 'raw', label: 'Raw' },
];
/** Text that is kept for one panel. */
const KEPT = 400_000;

/** The text of a node: what is there already, and what arrives. */
function useOutput(open: OpenQuery, id: string, isRoot: boolean): string {
  const [text, setText] = useState('');
  useEffect(() => {
    let closed = false;
    let arrived = '';
    const add = (events: readonly TroupeEvent[]): void => {
      const more = events
        .filter(
          (e) =>
            e.kind === 'output' && e.query_id === open.id && e.task_id === (isRoot ? null : id),
        )
        .map((e) => String(e.data.text ?? ''))
        .join('');
      if (more === '') return;
      arrived += more;
      setText((before) => (before + more).slice(-KEPT));
    };
    const stop = onEvents(add);
    const past = isRoot
      ? get<{ data: TroupeEvent[] }>(`/v1/queries/${open.id}/events?kinds=output&limit=1000`).then(
          ({ data }) =>
            data
              .filter((e) => e.task_id === null)
              .map((e) => String(e.data.text ?? ''))
              .join(''),
        )
      : get<Task>(`/v1/tasks/${id}`).then((task) => task.partial_output);
    past.then(
      (before) => !closed && setText(before.endsWith(arrived) ? before : before + arrived),
      () => {},
    );
    return () => {
      closed = true;
      stop();
    };
  }, [open.id, id]);
  return text;
}

function Output({ text }: { text: string }) {
  const ref = useRef<HTMLPreElement>(null);
  const [follow, setFollow] = useState(true);
  useEffect(() => {
    if (follow && ref.current) ref.current.scrollTop = ref.current.scrollHeight;
  }, [text, follow]);
  return (
    <>
      <label class="inline">
        <input
          type="checkbox"
          checked={follow}
          onChange={(event) => setFollow(event.currentTarget.checked)}
        />
        Follow
      </label>
      <pre ref={ref} class="output plain" role="region" tabIndex={0} aria-label="Output">
        {visible(text) || 'Nothing yet.'}
      </pre>
    </>
  );
}

function Tools({ events }: { events: readonly TroupeEvent[] }) {
  const started = events.filter((e) => e.kind === 'tool' && e.state === 'started');
  const ended = new Map(
    events
      .filter((e) => e.kind === 'tool' && e.state === 'finished')
      .map((e) => [`${e.agent_id}:${e.data.call_id}`, e]),
  );
  if (started.length === 0) return <p class="dim">No tool has been used yet.</p>;
  return (
    <ul class="tools">
      {started.map((event) => {
        const end = ended.get(`${event.agent_id}:${event.data.call_id}`);
        const ok = end?.data.ok;
        return (
          <li key={event.seq}>
            <details>
              <summary>
                <State state={end ? (ok ? 'done' : 'failed') : 'running'} />{' '}
                <code>{String(event.data.name)}</code> {visible(end?.detail ?? '')}{' '}
                <span class="dim">
                  {clock(event.at)} {end && duration(Number(end.data.duration_ms ?? 0))}
                </span>
              </summary>
              <pre class="plain">{visible(String(event.data.arguments ?? ''))}</pre>
            </details>
          </li>
        );
      })}
    </ul>
  );
}

function NodeFacts({ node, task }: { node: TreeNode | null; task: Task | null }) {
  const attempt = node?.attempts.at(-1);
  const rows: [string, string][] = [
    ['Model', attempt?.model ?? '–'],
    ['Process', attempt?.pid ? `${attempt.pid}, port ${attempt.port}` : '–'],
    ['Tokens', node ? count(node.usage.input_tokens + node.usage.output_tokens) : '–'],
    [
      'With all below',
      node ? count(node.subtree_usage.input_tokens + node.subtree_usage.output_tokens) : '–',
    ],
    ['Cost', usd(node?.subtree_usage.cost_usd ?? null)],
    ['Attempts', String(task?.attempts.length ?? 0)],
  ];
  return <Facts rows={rows} />;
}

function Result({ task }: { task: Task | null }) {
  if (task === null) return <p class="dim">The answer of the query stands below the timeline.</p>;
  return (
    <>
      {task.error && (
        <div class="error">
          <p>
            <code>{task.error.code}</code> {visible(task.error.message)}
          </p>
          <ul>
            {task.error.reasons.map((reason) => (
              <li key={reason}>{visible(reason)}</li>
            ))}
          </ul>
        </div>
      )}
      {task.unverified.length > 0 && (
        <p class="warn">Not verified by the runtime: {task.unverified.join(', ')}</p>
      )}
      {task.result !== null ? <Markdown text={task.result} /> : <p class="dim">No result yet.</p>}
    </>
  );
}

function useTask(id: string, isRoot: boolean, version: number): [Task | null, string] {
  const [task, setTask] = useState<Task | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    if (isRoot) return;
    let closed = false;
    get<Task>(`/v1/tasks/${id}`).then(
      (row) => !closed && setTask(row),
      (reason: Error) => !closed && setError(reason.message),
    );
    return () => {
      closed = true;
    };
  }, [id, isRoot, version]);
  return [task, error];
}

type Props = { open: OpenQuery; id: string; node: TreeNode | null; onClose: () => void };

export function Panel({ open, id, node, onClose }: Props) {
  const [tab, setTab] = useState<TabId>('output');
  const isRoot = id === open.id;
  const moved = node?.updated_at ?? '';
  const [task, error] = useTask(id, isRoot, Date.parse(moved));
  const text = useOutput(open, id, isRoot);
  const events = open.log.value.filter((e) => (isRoot ? e.task_id === null : e.task_id === id));
  const status = task?.status ?? node?.status ?? '';
  const working = ['created', 'assigned', 'running', 'blocked'].includes(status);
  const path = isRoot ? `/v1/queries/${id}` : `/v1/tasks/${id}`;
  return (
    <aside class="panel" aria-label={node?.label ?? 'Agent'}>
      <header>
        <h2>{node?.label ?? open.tracks.get(id)?.label ?? id}</h2>
        {status && <State state={status} say={node?.waiting ?? null} />}
        <button type="button" class="quiet" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      {error && <Trouble text={error} />}
      <NodeFacts node={node} task={task} />
      {!isRoot && (
        <div class="buttons">
          {working && (
            <CancelButton
              path={`${path}/cancel`}
              what={node?.label ?? 'the task'}
              below={openBelow(node)}
            />
          )}
          {(status === 'failed' || status === 'cancelled') && (
            <Act label="Retry" kind="primary" run={() => post(`${path}/retry`)} />
          )}
        </div>
      )}
      <Tabs tabs={TABS} active={tab} onPick={setTab} label="About this agent" />
      <div class="tab-body" role="tabpanel">
        {tab === 'output' && <Output text={text} />}
        {tab === 'tools' && <Tools events={events} />}
        {tab === 'prompt' && (
          <pre class="plain">{visible(task?.description ?? open.query.value?.input ?? '')}</pre>
        )}
        {tab === 'result' && <Result task={task} />}
        {tab === 'files' && <Files query_id={open.id} />}
        {tab === 'log' && <ServerLog role={node?.role ?? 'main'} />}
        {tab === 'raw' && (
          <>
            <Code text={curlOf('GET', path)} label="The same by curl" />
            <pre class="plain">{JSON.stringify({ task, node, events }, null, 2)}</pre>
          </>
        )}
      </div>
    </aside>
  );
}
