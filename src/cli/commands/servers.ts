// `troupe servers`: the role servers that exist, and their start, stop and log by hand.
import type { Command } from 'commander';
import type { ServerInfo } from '../../domain/ports.ts';
import type { Cli, Run } from '../cli.ts';
import { segment } from '../client.ts';
import { EXIT } from '../exit.ts';
import { wholeNumber } from '../number.ts';
import { sizeText } from '../query-files.ts';

/** A start by hand waits for the role server, whose own deadline is 30 s; a stop drains first. */
const LIFE_MS = 60_000;

function table(cli: Cli, rows: ServerInfo[]): void {
  if (rows.length === 0) {
    cli.term.line('no role servers: each starts when its role is first needed');
    return;
  }
  cli.term.table(rows, [
    { title: 'ROLE', value: (s) => (s.instance > 0 ? `${s.role}/${s.instance}` : s.role) },
    { title: 'STATE', value: (s) => s.state },
    { title: 'PID', value: (s) => s.pid },
    { title: 'PORT', value: (s) => s.port },
    { title: 'RUNS', value: (s) => s.active_runs },
    { title: 'MEMORY', value: (s) => (s.rss_bytes === null ? null : sizeText(s.rss_bytes)) },
    { title: 'RESTARTS', value: (s) => s.restarts },
    { title: 'STARTED', value: (s) => s.started_at },
    { title: 'LAST EXIT', value: (s) => s.last_exit?.reason, cut: true },
  ]);
}

async function list(cli: Cli): Promise<number> {
  const client = await cli.connect();
  const { data } = await client.get<{ data: ServerInfo[] }>('/v1/servers');
  if (cli.json) cli.term.json(data);
  else table(cli, data);
  return EXIT.ok;
}

async function act(cli: Cli, role: string, verb: 'start' | 'stop' | 'restart'): Promise<number> {
  const client = await cli.connect();
  const path = `/v1/servers/${segment(role)}/${verb}`;
  const answer = await client.post<unknown>(path, {}, { extraMs: LIFE_MS });
  if (cli.json) {
    cli.term.json(answer);
    return EXIT.ok;
  }
  const { data } = (answer ?? {}) as { data?: ServerInfo[] };
  const rows = Array.isArray(data) ? data : [answer as ServerInfo];
  table(
    cli,
    rows.filter((row) => typeof row?.role === 'string'),
  );
  return EXIT.ok;
}

async function log(cli: Cli, role: string, o: { lines: number }): Promise<number> {
  const client = await cli.connect();
  const params = { lines: o.lines };
  const { lines } = await client.get<{ lines: string[] }>(
    `/v1/servers/${segment(role)}/log`,
    params,
  );
  if (cli.json) cli.term.json(lines);
  else for (const line of lines) cli.term.line(line);
  return EXIT.ok;
}

export function addServers(program: Command, run: Run): void {
  const servers = program.command('servers').description('Role servers: one process a role.');
  servers
    .command('list', { isDefault: true })
    .description('the role servers that exist')
    .action(() => run(list));
  const verbs = [
    ['start', 'start a role server before it is needed'],
    ['stop', 'drain and stop it; it starts again when it is needed'],
    ['restart', 'stop and start it'],
  ] as const;
  for (const [verb, text] of verbs)
    servers
      .command(`${verb} <role>`)
      .description(text)
      .action((role: string) => run((cli) => act(cli, role, verb)));
  servers
    .command('log <role>')
    .description('the last lines of its log')
    .option('--lines <n>', 'at most so many', wholeNumber(1, 2000), 100)
    .action((role: string, o) => run((cli) => log(cli, role, o)));
}
