// A supervisor over real processes for tests: a role server from test/fixtures/children, events in a list,
// everything ended and nothing left when the test has finished.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { NewEvent } from '../../src/domain/event.ts';
import { type Claim, type RoleServer, silentLog, systemClock } from '../../src/domain/ports.ts';
import type { Role } from '../../src/domain/role.ts';
import { createForkLauncher, type ForkDeps } from '../../src/launch/fork.ts';
import { createGuard } from '../../src/launch/guard.ts';
import type { Launcher } from '../../src/launch/launcher.ts';
import { sweep } from '../../src/launch/sweep.ts';
import { type BudgetRules, defaultBudgetRules } from '../../src/resilience/restart-budget.ts';
import type { ServerRules } from '../../src/supervisor/server.ts';
import { createSupervisor, type SupervisorDeps } from '../../src/supervisor/supervisor.ts';
import { MARK_INSTANCE } from '../../src/wire/protocol.ts';
import { marked } from './process-table.ts';

export { fixture } from './fixture.ts';
export { roleNamed } from './role-named.ts';

export type World = {
  worker: string;
  roles: Role[];
  limits?: Partial<SupervisorDeps['limits']>;
  rules?: Partial<ServerRules>;
  budget?: Partial<BudgetRules>;
  fork?: Partial<ForkDeps>;
  launcherFor?: (role: Role, fork: Launcher) => Launcher;
};

export function openRoleServers(world: World) {
  const instance = randomUUID();
  const folder = mkdtempSync(join(tmpdir(), 'troupe-servers-'));
  const events: NewEvent[] = [];
  const guard = createGuard({ instance, env: process.env, log: silentLog });
  const fork = createForkLauncher({
    command: process.execPath,
    worker_file: world.worker,
    env: process.env,
    instance,
    main_url: () => 'http://127.0.0.1:9',
    log_dir: folder,
    log_bytes: 1024 * 1024,
    mask: (text) => text,
    guard,
    warm_spares: 0,
    cancel_deadline_ms: 1_000,
    clock: systemClock,
    log: silentLog,
    ...world.fork,
  });
  const roles = new Map(world.roles.map((role) => [role.name, role]));
  const supervisor = createSupervisor({
    roles: () => roles,
    launcherFor: (role) => world.launcherFor?.(role, fork) ?? fork,
    closeLaunchers: () => fork.close(),
    limits: { max_servers: 10, starts_at_once: 2, idle_ttl_ms: 0, base_port: 0, ...world.limits },
    rules: {
      start_timeout_ms: 10_000,
      probe_every_ms: 5_000,
      probe_deadline_ms: 5_000,
      probe_misses: 3,
      drain_ms: 2_000,
      leave_ms: 200,
      stable_ms: 5_000,
      ...world.rules,
    },
    budget: { ...defaultBudgetRules, ...world.budget },
    emit: (event) => events.push(event),
    random: () => 0,
    clock: systemClock,
    log: silentLog,
  });
  const ours = () => marked(MARK_INSTANCE, instance);
  onTestFinished(async () => {
    await supervisor.close();
    const left = ours();
    await sweep(`${MARK_INSTANCE}=${instance}`);
    rmSync(folder, { recursive: true, force: true });
    expect(left, 'processes left behind').toEqual([]);
  });
  return {
    supervisor,
    events,
    guard,
    fork,
    ours,
    instance,
    folder,
    states: () => events.map((e) => e.state),
  };
}

/** The claim, where the test expects one. */
export function claimed(answer: Claim | { wait: 'slot' | 'role' }): Claim {
  if ('wait' in answer) throw new Error(`expected a place, got wait: ${answer.wait}`);
  return answer;
}

/** The named error that a promise rejects with. */
export async function failure(work: Promise<RoleServer>): Promise<AppError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw error;
}
