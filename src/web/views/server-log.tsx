// The last lines of a role server's log, fetched again and again while somebody looks; can be held still.
import { useEffect, useRef, useState } from 'preact/hooks';
import { visible } from '../format.ts';
import { get } from '../net/api.ts';
import { Trouble } from '../parts/basics.tsx';

const EVERY_MS = 2_000;
const LINES = 300;
const LEVELS = ['all', 'stderr only'] as const;

export function ServerLog({ role }: { role: string }) {
  const [lines, setLines] = useState<string[]>([]);
  const [error, setError] = useState('');
  const [paused, setPaused] = useState(false);
  const [level, setLevel] = useState<(typeof LEVELS)[number]>('all');
  const [text, setText] = useState('');
  const ref = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (paused || role === 'main') return;
    const load = (): void =>
      void get<{ lines: string[] }>(`/v1/servers/${role}/log?lines=${LINES}`).then(
        (answer) => {
          setLines(answer.lines);
          setError('');
        },
        (reason: Error) => setError(reason.message),
      );
    load();
    const timer = setInterval(load, EVERY_MS);
    return () => clearInterval(timer);
  }, [role, paused]);
  useEffect(() => {
    if (!paused && ref.current) ref.current.scrollTop = ref.current.scrollHeight;
  }, [lines, paused]);
  if (role === 'main')
    return <p class="dim">The main agent works in the server itself: its log is the server's.</p>;
  const shown = lines.filter(
    (line) =>
      (level === 'all' || / stderr /.test(line)) && line.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <>
      <div class="filters">
        <label class="inline">
          <span class="hidden">Level</span>
          <select
            value={level}
            onChange={(e) => setLevel(e.currentTarget.value as (typeof LEVELS)[number])}
          >
            {LEVELS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          <span class="hidden">Filter the log</span>
          <input
            type="search"
            placeholder="Filter"
            value={text}
            onInput={(e) => setText(e.currentTarget.value)}
          />
        </label>
        <button type="button" aria-pressed={paused} onClick={() => setPaused(!paused)}>
          {paused ? 'Go on' : 'Pause'}
        </button>
      </div>
      {error && <Trouble text={error} />}
      <pre ref={ref} class="plain log" role="region" tabIndex={0} aria-label={`Log of ${role}`}>
        {shown.length > 0 ? visible(shown.join('\n')) : 'It has printed nothing.'}
      </pre>
    </>
  );
}
