// The frame of every view: where one can go, how the connection is, and the key when one is needed.
import { useState } from 'preact/hooks';
import { now } from './clock.ts';
import { duration } from './format.ts';
import { helpShown } from './keys.ts';
import { keyWanted, useKey } from './net/api.ts';
import { Dialog } from './parts/basics.tsx';
import { hrefOf, route, type View } from './route.ts';
import { connection, retryNow } from './state/live.ts';
import { waiting } from './state/reviews.ts';
import { nextTheme, theme } from './theme.ts';
import { Inbox } from './views/inbox.tsx';
import { Memory } from './views/memory.tsx';
import { Queries } from './views/queries.tsx';
import { QueryPage } from './views/query.tsx';
import { Roles } from './views/roles.tsx';
import { Servers } from './views/servers.tsx';
import { Settings } from './views/settings.tsx';

const PLACES: { view: View; label: string }[] = [
  { view: 'queries', label: 'Queries' },
  { view: 'inbox', label: 'Inbox' },
  { view: 'servers', label: 'Servers' },
  { view: 'memory', label: 'Memory' },
  { view: 'roles', label: 'Roles' },
  { view: 'settings', label: 'Settings' },
];
function Connection() {
  const { state, since } = connection.value;
  const words = {
    live: 'Live',
    connecting: `Reconnecting (${duration(Math.max(0, now.value - since))})`,
    offline: 'Offline',
  }[state];
  return (
    <button
      type="button"
      class={`connection connection-${state}`}
      aria-live="polite"
      title={state === 'live' ? 'Events arrive as they happen' : 'Try again now'}
      onClick={retryNow}
    >
      <span aria-hidden="true">●</span> {words}
    </button>
  );
}

function KeyDialog({ why }: { why: string }) {
  const [text, setText] = useState('');
  return (
    <Dialog title="This server needs a key" onClose={() => {}}>
      <p>{why}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          useKey(text);
          retryNow();
        }}
      >
        <label>
          API key
          <input
            type="password"
            autocomplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <p class="dim">It stays in this tab until the tab is closed.</p>
        <button type="submit" class="primary" disabled={text.trim() === ''}>
          Use it
        </button>
      </form>
    </Dialog>
  );
}

const KEYS: [string, string][] = [
  ['?', 'this list'],
  ['/', 'search'],
  ['j  k', 'next and previous row'],
  ['Enter', 'open'],
  ['c', 'cancel what is open'],
  ['Esc', 'close, back'],
  ['g q · g s · g m', 'queries, servers, memory'],
];
function Help() {
  return (
    <Dialog title="Keys" onClose={() => (helpShown.value = false)}>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function Content() {
  const { view, id } = route.value;
  if (view === 'queries') return id ? <QueryPage key={id} id={id} /> : <Queries />;
  if (view === 'servers') return <Servers />;
  if (view === 'inbox') return <Inbox />;
  if (view === 'memory') return <Memory />;
  if (view === 'roles') return <Roles />;
  if (view === 'settings') return <Settings />;
  return <Queries />;
}

export function App() {
  const { view } = route.value;
  return (
    <div class={`app ${connection.value.state === 'live' ? '' : 'stale'}`}>
      <nav aria-label="Views">
        <a class="brand" href={hrefOf('queries')}>
          Troupe
        </a>
        {PLACES.map((place) => (
          <a
            key={place.view}
            href={hrefOf(place.view)}
            aria-current={view === place.view ? 'page' : undefined}
          >
            {place.label}
            {place.view === 'inbox' && waiting.value > 0 && (
              <span class="badge">{waiting.value}</span>
            )}
          </a>
        ))}
        <span class="grow" />
        <Connection />
        <button
          type="button"
          class="quiet"
          onClick={nextTheme}
          title="Dark, light, or as the system"
        >
          {theme.value}
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => (helpShown.value = true)}
          aria-label="Keys"
        >
          ?
        </button>
      </nav>
      <main id="main">
        <Content />
      </main>
      {keyWanted.value !== null && <KeyDialog why={keyWanted.value} />}
      {helpShown.value && <Help />}
    </div>
  );
}
