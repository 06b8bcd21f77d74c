// Prometheus metrics in a registry of their own. Labels are roles, states and models, never ids: those grow for ever.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { TroupeEvent } from '../domain/event.ts';
import type { ServerInfo } from '../domain/ports.ts';
import { isOpenQuery, type QueryStatus } from '../domain/query.ts';
import { isOutcome, type SubagentState } from '../domain/subagent.ts';
import type { Readers } from './readers.ts';
import type { ModelRequestSeen } from './services.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 60];

/** What the role servers say about themselves, read at each scrape. */
function serverMetrics(registry: Registry) {
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['role'], registers: [registry] });
  const up = gauge('troupe_agent_up', 'Role servers that are ready');
  const runs = gauge('troupe_agent_active_runs', 'Runs at work in the role servers');
  const memory = gauge('troupe_agent_resident_memory_bytes', 'Resident memory of the role servers');
  const active = gauge(
    'troupe_agent_last_activity_timestamp_seconds',
    'Last activity of the role, Unix time',
  );
  const cpu = gauge('troupe_agent_cpu_seconds', 'CPU time of the role servers that live now');
  const restarts = gauge('troupe_agent_restarts', 'Restarts of the role servers that are listed');
  return (servers: ServerInfo[]): void => {
    for (const metric of [up, runs, memory, active, cpu, restarts]) metric.reset();
    for (const server of servers) {
      const { role } = server;
      up.inc({ role }, server.state === 'ready' ? 1 : 0);
      runs.inc({ role }, server.active_runs);
      memory.inc({ role }, server.rss_bytes ?? 0);
      cpu.inc({ role }, server.cpu_seconds ?? 0);
      restarts.inc({ role }, server.restarts);
      if (server.last_activity_at) active.set({ role }, Date.parse(server.last_activity_at) / 1000);
    }
  };
}

function eventMetrics(registry: Registry) {
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const queries = counter('troupe_queries_total', 'Queries that ended', ['status']);
  const tasks = counter('troupe_tasks_total', 'Attempts at tasks that ended', ['role', 'status']);
  const servers = counter('troupe_server_events_total', 'Events in the life of role servers', [
    'role',
    'status',
  ]);
  const refusals = counter(
    'troupe_budget_refusals_total',
    'Model calls that were not sent because of a limit on what may be spent',
    ['scope', 'unit'],
  );
  return (event: TroupeEvent): void => {
    const status = event.state;
    const role = event.role ?? '';
    if (event.kind === 'query' && !isOpenQuery(status as QueryStatus)) queries.inc({ status });
    if (event.kind === 'subagent' && isOutcome(status as SubagentState))
      tasks.inc({ role, status });
    if (event.kind === 'notice' && status === 'budget_exceeded')
      refusals.inc({ scope: String(event.data.scope), unit: String(event.data.unit) });
    if (event.kind === 'server') servers.inc({ role, status });
  };
}

/** Callers may name any model: what comes after so many is counted as one. */
const MOST_MODELS = 100;
const MODEL_SECONDS = [0.25, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

function modelMetrics(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'troupe_llm_requests_total',
    help: 'Requests to language models, by how they ended',
    labelNames: ['provider', 'model', 'status'],
    registers,
  });
  const tokens = new Counter({
    name: 'troupe_llm_tokens_total',
    help: 'Tokens as the providers counted them; cached_input is part of input, reasoning of output',
    labelNames: ['model', 'type'],
    registers,
  });
  const cost = new Counter({
    name: 'troupe_llm_cost_usd_total',
    help: 'What the tokens cost, for models with a price in the configuration',
    labelNames: ['model'],
    registers,
  });
  const duration = new Histogram({
    name: 'troupe_llm_request_duration_seconds',
    help: 'Time from a request to the end of its answer',
    labelNames: ['provider', 'model'],
    buckets: MODEL_SECONDS,
    registers,
  });
  const known = new Set<string>();
  return ({ provider, model: named, status, seconds, usage }: ModelRequestSeen): void => {
    if (known.size < MOST_MODELS) known.add(named);
    const model = known.has(named) ? named : 'other';
    requests.inc({ provider, model, status });
    duration.observe({ provider, model }, seconds);
    if (usage === null) return;
    tokens.inc({ model, type: 'input' }, usage.input_tokens);
    tokens.inc({ model, type: 'cached_input' }, usage.cached_input_tokens);
    tokens.inc({ model, type: 'output' }, usage.output_tokens);
    tokens.inc({ model, type: 'reasoning' }, usage.reasoning_tokens);
    if (usage.cost_usd !== null) cost.inc({ model }, usage.cost_usd);
  };
}

function processMetrics(registry: Registry, readers: Readers) {
  const registers = [registry];
  const sse = new Gauge({ name: 'troupe_sse_clients', help: 'Open SSE streams', registers });
  const ws = new Gauge({ name: 'troupe_ws_clients', help: 'Open WebSockets', registers });
  const resyncs = new Counter({
    name: 'troupe_reader_resyncs_total',
    help: 'Readers that were too slow and got resync',
    registers,
  });
  const rss = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the main process',
    registers,
  });
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the main process',
    registers,
  });
  const lag = new Gauge({
    name: 'nodejs_eventloop_lag_p99_seconds',
    help: 'Delay of the event loop, 99th percentile since the last scrape',
    registers,
  });
  const delay = monitorEventLoopDelay({ resolution: 20 });
  return {
    collect(): void {
      sse.set(readers.count('sse'));
      ws.set(readers.count('ws'));
      resyncs.reset();
      resyncs.inc(readers.resyncs());
      rss.set(process.memoryUsage.rss());
      const { user, system } = process.cpuUsage();
      cpu.reset();
      cpu.inc((user + system) / 1e6);
      lag.set(Number.isFinite(delay.percentile(99)) ? delay.percentile(99) / 1e9 : 0);
      delay.reset();
    },
    start: () => void delay.enable(),
    stop: () => void delay.disable(),
  };
}

export function createMetrics(version: string, readers: Readers, servers: () => ServerInfo[]) {
  const registry = new Registry();
  new Gauge({
    name: 'troupe_build_info',
    help: 'Always 1; the version is the label',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request, by status code; streams are not counted',
    labelNames: ['status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const collectServers = serverMetrics(registry);
  const own = processMetrics(registry, readers);
  return {
    contentType: registry.contentType,
    start: own.start,
    stop: own.stop,
    count: eventMetrics(registry),
    asked: modelMetrics(registry),
    answered: (status: number, seconds: number): void =>
      requests.observe({ status: String(status) }, seconds),
    async text(): Promise<string> {
      collectServers(servers());
      own.collect();
      return registry.metrics();
    },
  };
}
export type Metrics = ReturnType<typeof createMetrics>;
