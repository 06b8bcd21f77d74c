// The roles and what they are told: who may do what, and a prompt of one's own with what it changes.
import { useEffect, useState } from 'preact/hooks';
import { visible } from '../format.ts';
import { ApiError, get, type Page, put, remove } from '../net/api.ts';
import { Act, Facts, Trouble } from '../parts/basics.tsx';
import { diffOf } from '../parts/diff.ts';
import { hrefOf, route } from '../route.ts';
import { title } from '../state/reviews.ts';

type Role = {
  name: string;
  description: string;
  system_prompt: string;
  model: string;
  tier: string | null;
  tools: string[];
  may_start: string[];
  url: string | null;
  instances: number;
  max_concurrent_runs: number;
  alternate: string | null;
};
/** The main agent's override is added to its prompt; a role's takes its place. */
type Prompt = { default: string; override: string | null; warnings: string[] };

function Diff({ before, after }: { before: string; after: string }) {
  if (before === after) return <p class="dim">No difference to the default.</p>;
  return (
    <pre class="plain diff" role="region" aria-label="Difference to the default" tabIndex={0}>
      {diffOf(before, after).map((line, i) => (
        <span key={i} class={`line-${line.kind}`}>
          {{ same: '  ', added: '+ ', removed: '- ' }[line.kind]}
          {visible(line.text)}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function PromptEditor({ name }: { name: string }) {
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  const [text, setText] = useState('');
  const [error, setError] = useState('');
  const path = `/v1/roles/${name}/prompt`;
  const load = (): Promise<void> =>
    get<Prompt>(path).then(
      (row) => {
        setPrompt(row);
        setText(row.override ?? (name === 'main' ? '' : row.default));
      },
      (reason: Error) => {
        if (!(reason instanceof ApiError && reason.problem.status === 404))
          setError(reason.message);
      },
    );
  useEffect(() => void load(), [name]);
  if (error) return <Trouble text={error} />;
  if (prompt === null) return null;
  const isMain = name === 'main';
  return (
    <section class="stack">
      <h2>{isMain ? 'Added to its prompt' : 'Its prompt'}</h2>
      <textarea
        rows={14}
        aria-label="Prompt"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="buttons">
        <Act
          label="Save"
          kind="primary"
          disabled={text.trim() === '' || text === (prompt.override ?? prompt.default)}
          run={async () => {
            await put(path, { prompt: text });
            await load();
          }}
        />
        <Act
          label="Back to the default"
          disabled={prompt.override === null}
          run={async () => {
            await remove(path);
            await load();
          }}
        />
        <span class="dim">It holds from the next run on.</span>
      </div>
      {prompt.warnings.map((warning) => (
        <p key={warning} class="warn">
          {visible(warning)}
        </p>
      ))}
      {isMain ? (
        <details>
          <summary>Its own prompt</summary>
          <pre class="plain">{visible(prompt.default)}</pre>
        </details>
      ) : (
        <Diff before={prompt.default} after={text} />
      )}
    </section>
  );
}

function RoleCard({ role }: { role: Role }) {
  const rows: [string, string][] = [
    ['Model', role.model + (role.tier ? ` (${role.tier})` : '')],
    ['May start', role.may_start.join(', ') || 'nobody'],
    ['Alternate', role.alternate ?? 'none'],
    ['Runs at once', `${role.max_concurrent_runs} × ${role.instances}`],
    ['Where', role.url ?? 'a process of its own'],
  ];
  return (
    <article class="stack answer">
      <h1>{role.name}</h1>
      <p>{role.description}</p>
      <ul class="chips" aria-label="Tools">
        {role.tools.map((tool) => (
          <li key={tool}>{tool}</li>
        ))}
      </ul>
      <Facts rows={rows} />
      <PromptEditor key={role.name} name={role.name} />
    </article>
  );
}

export function Roles() {
  const [roles, setRoles] = useState<Role[]>([]);
  const [error, setError] = useState('');
  useEffect(() => {
    title.value = 'Roles · Troupe';
    get<Page<Role>>('/v1/roles').then(
      ({ data }) => setRoles(data),
      (reason: Error) => setError(reason.message),
    );
  }, []);
  const { id } = route.value;
  const picked = roles.find((role) => role.name === id);
  return (
    <section class="stack" aria-label="Roles">
      {error && <Trouble text={error} />}
      <ul class="chips" aria-label="All roles">
        {['main', ...roles.map((role) => role.name)].map((name) => (
          <li key={name}>
            <a
              data-row
              href={hrefOf('roles', name)}
              aria-current={id === name ? 'page' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
      {picked && <RoleCard role={picked} />}
      {id === 'main' && (
        <article class="stack answer">
          <h1>main</h1>
          <p>The agent that takes every query and hands parts of it to the roles.</p>
          <PromptEditor name="main" />
        </article>
      )}
      {!id && <p class="dim">Pick a role to see what it is told and what it may do.</p>}
    </section>
  );
}
