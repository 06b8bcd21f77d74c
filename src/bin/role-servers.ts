// Supervisor, launchers and guard, composed for the chosen topology.
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createRunner } from '../agent/runner.ts';
import type { Loaded } from '../config/load.ts';
import type { NewEvent } from '../domain/event.ts';
import type { Clock, Log } from '../domain/ports.ts';
import type { Role } from '../domain/role.ts';
import type { Envelope, RunHost } from '../domain/run.ts';
import { createForkLauncher } from '../launch/fork.ts';
import { createGuard } from '../launch/guard.ts';
import { createInprocLauncher } from '../launch/inproc.ts';
import type { Launcher } from '../launch/launcher.ts';
import { createRemoteLauncher } from '../launch/remote.ts';
import { defaultBudgetRules } from '../resilience/restart-budget.ts';
import { createSupervisor, type RoleSupervisor } from '../supervisor/supervisor.ts';
import { roleTools } from '../tools/index.ts';
import { MARK_INSTANCE } from '../wire/protocol.ts';

export type RoleServerDeps = {
  loaded: Loaded;
  instance: string;
  worker_file: string;
  env: Readonly<Record<string, string | undefined>>;
  main_url: () => string;
  hostFor: (run_token: string) => RunHost | null;
  emit: (event: NewEvent) => void;
  mask: (text: string) => string;
  log: Log;
  clock: Clock;
};

/** Two looks a second at runs in servers that someone else runs: their protocol has no push that all speak. */
const REMOTE_POLL_MS = 500;
const LOG_BYTES = 5 * 1024 * 1024;
/** Alive this long after it was ready: not a quick exit. */
const STABLE_MS = 5_000;
/** At shutdown a run gets a moment to reach its next checkpoint: a call that takes longer is made again later. */
const LEAVE_MS = 1_000;

export function openRoleServers(deps: RoleServerDeps): RoleSupervisor {
  const { loaded, instance, env, log, clock, mask } = deps;
  const { server, subagents } = loaded.config;
  const guard = createGuard({ instance, env, log });
  const cancel_deadline_ms = subagents.cancel_deadline_s * 1000;
  const hostFor = (envelope: Envelope): RunHost => {
    const host = deps.hostFor(envelope.run_token);
    if (!host) throw new Error(`no host for run ${envelope.run_id}`);
    return host;
  };
  const fork = createForkLauncher({
    command: process.execPath,
    worker_file: deps.worker_file,
    env,
    instance,
    main_url: deps.main_url,
    log_dir: join(server.state_dir, 'logs'),
    log_bytes: LOG_BYTES,
    mask,
    guard,
    warm_spares: subagents.warm_spares,
    cancel_deadline_ms,
    clock,
    log,
  });
  const inproc = createInprocLauncher({
    build: 'inproc',
    guard,
    createRunner: async () =>
      createRunner({
        tools: roleTools(),
        hostFor,
        markers: { [MARK_INSTANCE]: instance },
        cancelDeadlineMs: cancel_deadline_ms,
        log,
        clock,
      }),
  });
  const remote = createRemoteLauncher({ hostFor, poll_ms: REMOTE_POLL_MS });
  const launcherFor = (role: Role): Launcher => {
    if (role.url !== null) return remote;
    if (server.topology === 'single') return inproc;
    return server.topology === 'hybrid' && role.transport === 'inproc' ? inproc : fork;
  };
  const roles = new Map(loaded.roles.map((role) => [role.name, role]));

  return createSupervisor({
    roles: () => roles,
    launcherFor,
    closeLaunchers: async () => {
      await Promise.all([fork.close(), inproc.close(), remote.close()]);
    },
    limits: {
      max_servers: subagents.max,
      starts_at_once: cpus().length,
      idle_ttl_ms: subagents.idle_ttl_s * 1000,
      base_port: subagents.base_port,
    },
    rules: {
      start_timeout_ms: subagents.start_deadline_s * 1000,
      probe_every_ms: subagents.probe_every_s * 1000,
      probe_deadline_ms: subagents.probe_every_s * 1000,
      probe_misses: subagents.probe_misses,
      drain_ms: (server.shutdown_drain_s + server.shutdown_kill_s) * 1000,
      leave_ms: Math.min(LEAVE_MS, server.shutdown_drain_s * 1000),
      stable_ms: STABLE_MS,
    },
    budget: {
      ...defaultBudgetRules,
      max_exits: subagents.restart_limit,
      window_ms: subagents.restart_window_s * 1000,
    },
    emit: deps.emit,
    random: Math.random,
    clock,
    log,
  });
}
