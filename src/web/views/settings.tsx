// What the server is set to and how it does: every setting with its source, the models and their breakers, the limits.
import { useEffect, useState } from 'preact/hooks';
import { now } from '../clock.ts';
import { bytes, duration } from '../format.ts';
import { get, type Page } from '../net/api.ts';
import { Facts, Trouble } from '../parts/basics.tsx';
import { route, setParam } from '../route.ts';
import { title } from '../state/reviews.ts';

type Setting = { key: string; value: unknown; source: string; doc: string };
type ModelRow = { model: string; provider: string; state?: string; failures?: number };
type Status = {
  version: string;
  node: string;
  uptime_s: number;
  topology: string;
  models: { default: string; why: string; models: ModelRow[] };
  breakers: ({ model: string } & Record<string, unknown>)[];
  slots: Record<string, unknown>;
  memory_bytes: number;
};
const EVERY_MS = 5_000;
const shown = (value: unknown): string =>
  value === null ? 'not set' : typeof value === 'string' ? value : JSON.stringify(value);

function Now() {
  const [status, setStatus] = useState<Status | null>(null);
  const [error, setError] = useState('');
  const beat = Math.floor(now.value / EVERY_MS);
  useEffect(() => {
    get<Status>('/v1/status').then(
      (row) => {
        setStatus(row);
        setError('');
      },
      (reason: Error) => setError(reason.message),
    );
  }, [beat]);
  if (error) return <Trouble text={error} />;
  if (status === null) return <p class="dim">Loading …</p>;
  const failing = new Map(status.breakers.map((row) => [row.model, row]));
  return (
    <>
      <section class="answer">
        <h2>Server</h2>
        <Facts
          rows={[
            ['Version', `${status.version}, Node ${status.node}`],
            ['Up', duration(status.uptime_s * 1_000)],
            ['Memory', bytes(status.memory_bytes)],
            ['Topology', status.topology],
            ...Object.entries(status.slots).map(([name, value]): [string, string] => [
              `Slots: ${name}`,
              shown(value),
            ]),
          ]}
        />
      </section>
      <section class="answer">
        <h2>Models</h2>
        <p class="dim">
          {status.models.default}: {status.models.why}
        </p>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Breaker</th>
            </tr>
          </thead>
          <tbody>
            {status.models.models.map(({ model }) => {
              const breaker = failing.get(model);
              return (
                <tr key={model}>
                  <th scope="row">{model}</th>
                  <td data-label="Breaker">
                    {breaker ? (
                      <span class="state state-blocked">{shown(breaker)}</span>
                    ) : (
                      <span class="state state-done">closed</span>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Limits() {
  const [limits, setLimits] = useState<Record<string, unknown>>({});
  useEffect(() => {
    get<Record<string, unknown>>('/v1/limits').then(setLimits, () => {});
  }, []);
  return (
    <section class="answer">
      <h2>Limits in force</h2>
      <Facts rows={Object.entries(limits).map(([name, value]) => [name, shown(value)])} />
    </section>
  );
}

function All() {
  const [rows, setRows] = useState<Setting[]>([]);
  const [error, setError] = useState('');
  const text = (route.value.params.get('text') ?? '').toLowerCase();
  useEffect(() => {
    get<Page<Setting>>('/v1/config').then(
      ({ data }) => setRows(data),
      (reason: Error) => setError(reason.message),
    );
  }, []);
  const found = rows.filter((row) => `${row.key} ${row.doc}`.toLowerCase().includes(text));
  return (
    <section class="answer">
      <h2>Settings</h2>
      <p class="dim">
        They are read at start: a change in the file or the environment needs a restart.
      </p>
      <div class="filters" role="search">
        <label>
          <span class="hidden">Search settings</span>
          <input
            id="search"
            type="search"
            placeholder="Search   /"
            value={route.value.params.get('text') ?? ''}
            onInput={(event) => setParam('text', event.currentTarget.value)}
          />
        </label>
      </div>
      {error && <Trouble text={error} />}
      <table class="table settings">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {found.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                <code>{row.key}</code>
                <p class="dim">{row.doc}</p>
              </th>
              <td data-label="Value">
                <code>{shown(row.value)}</code>
              </td>
              <td data-label="From" class={row.source === 'default' ? 'dim' : ''}>
                {row.source}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Settings() {
  useEffect(() => {
    title.value = 'Settings · Troupe';
  }, []);
  return (
    <section class="stack" aria-label="Settings">
      <h1>Settings</h1>
      <Now />
      <Limits />
      <All />
    </section>
  );
}
