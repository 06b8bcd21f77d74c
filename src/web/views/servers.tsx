// The processes that serve the roles: who lives, since when, with what; started, stopped and read here.
import { useEffect, useState } from 'preact/hooks';
import { now } from '../clock.ts';
import { bytes, duration, visible } from '../format.ts';
import { get, type Page, post } from '../net/api.ts';
import { Act, Empty, Trouble } from '../parts/basics.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { title } from '../state/reviews.ts';
import {
  keyOf,
  loadServers,
  type Sample,
  samples,
  servers,
  serversError,
  watchServers,
} from '../state/servers.ts';
import type { ServerRow } from '../state/shapes.ts';
import { ServerLog } from './server-log.tsx';

const BAR: Record<string, string> = {
  ready: 'running',
  starting: 'starting',
  draining: 'waiting',
  crashed: 'failed',
  parked: 'blocked',
  stopped: 'queued',
};
/** Seconds of CPU per second between two samples, in percent. */
const loads = (all: readonly Sample[]): number[] =>
  all.slice(1).map((sample, i) => Math.max(0, ((sample.cpu - (all[i]?.cpu ?? 0)) / 3) * 100));

function Row({ row }: { row: ServerRow }) {
  const [log, setLog] = useState(false);
  const past = samples.value.get(keyOf(row)) ?? [];
  const cpu = loads(past);
  const path = `/v1/servers/${row.role}`;
  const exit = row.last_exit;
  return (
    <>
      <tr>
        <th scope="row">
          {row.role}
          {row.instance > 0 && <span class="dim"> {row.instance + 1}</span>}
        </th>
        <td data-label="State">
          <span class={`state state-${BAR[row.state]}`}>{row.state}</span>
        </td>
        <td data-label="Process" class="number">
          {row.pid ?? '–'} <span class="dim">:{row.port ?? '–'}</span>
        </td>
        <td data-label="Memory" class="number">
          {row.rss_bytes === null ? '–' : bytes(row.rss_bytes)}{' '}
          <Sparkline values={past.map((s) => s.rss)} label="Memory over time" />
        </td>
        <td data-label="CPU" class="number">
          {cpu.length > 0 ? `${Math.round(cpu.at(-1) ?? 0)} %` : '–'}{' '}
          <Sparkline values={cpu} label="CPU over time" />
        </td>
        <td data-label="Up" class="number">
          {row.started_at && row.pid ? duration(now.value - Date.parse(row.started_at)) : '–'}
        </td>
        <td data-label="Runs" class="number">
          {row.active_runs}
        </td>
        <td data-label="Restarts" class="number">
          {row.restarts}
        </td>
        <td data-label="Last activity" class="number">
          {row.last_activity_at
            ? `${duration(now.value - Date.parse(row.last_activity_at))} ago`
            : '–'}
        </td>
        <td class="buttons">
          <Act label="Restart" kind="quiet" run={() => post(`${path}/restart`).then(loadServers)} />
          <Act label="Stop" kind="quiet" run={() => post(`${path}/stop`).then(loadServers)} />
          <button type="button" class="quiet" aria-expanded={log} onClick={() => setLog(!log)}>
            Log
          </button>
        </td>
      </tr>
      {exit && (
        <tr class="below">
          <td colSpan={10}>
            Last exit: {exit.reason}
            {exit.code !== null && `, code ${exit.code}`}
            {exit.signal && `, ${exit.signal}`}
            {exit.stderr_tail && <pre class="plain">{visible(exit.stderr_tail)}</pre>}
          </td>
        </tr>
      )}
      {log && (
        <tr class="below">
          <td colSpan={10}>
            <ServerLog role={row.role} />
          </td>
        </tr>
      )}
    </>
  );
}

function Sleeping({ rows }: { rows: readonly ServerRow[] }) {
  const [roles, setRoles] = useState<string[]>([]);
  useEffect(() => {
    get<Page<{ name: string }>>('/v1/roles').then(
      ({ data }) => setRoles(data.map((role) => role.name)),
      () => {},
    );
  }, []);
  const awake = new Set(rows.map((row) => row.role));
  const asleep = roles.filter((role) => !awake.has(role));
  if (asleep.length === 0) return null;
  return (
    <section aria-label="Not started">
      <h2>Not started</h2>
      <p class="dim">A role server starts by itself when the first task needs it.</p>
      <ul class="chips">
        {asleep.map((role) => (
          <li key={role}>
            {role}{' '}
            <Act
              label="Start"
              kind="quiet"
              run={() => post(`/v1/servers/${role}/start`).then(loadServers)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Servers() {
  useEffect(() => {
    title.value = 'Servers · Troupe';
    return watchServers();
  }, []);
  const rows = servers.value;
  return (
    <section aria-label="Role servers">
      <h1>Role servers</h1>
      {serversError.value && <Trouble text={serversError.value} retry={() => void loadServers()} />}
      {rows === null && !serversError.value && <p class="dim">Loading …</p>}
      {rows?.length === 0 && (
        <Empty title="No role server is alive">
          <p>That is how it should be: each starts when its first task comes.</p>
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              {[
                'Role',
                'State',
                'Process',
                'Memory',
                'CPU',
                'Up',
                'Runs',
                'Restarts',
                'Last activity',
              ].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={keyOf(row)} row={row} />
            ))}
          </tbody>
        </table>
      )}
      <Sleeping rows={rows ?? []} />
    </section>
  );
}
