// Random programs of claims, stops, restarts, crashes and shutdowns, in random interleavings: never two living
// servers for one instance, never more processes than allowed, nothing left at the end, every claim answered.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { type Claim, silentLog, systemClock } from '../../src/domain/ports.ts';
import type { Launched, Launcher, RawExit } from '../../src/launch/launcher.ts';
import { defaultBudgetRules } from '../../src/resilience/restart-budget.ts';
import { createSupervisor } from '../../src/supervisor/supervisor.ts';
import { roleNamed } from '../support/role-named.ts';

const CAP = 2;
const ROLES = ['a', 'b', 'c'];
type Alive = Map<string, (exit: RawExit) => void>;

/** Processes as the scheduler likes: each spawn, stop and kill takes a turn of it. */
function fakeLauncher(s: fc.Scheduler, alive: Alive, broken: string[]): Launcher {
  const turn = (label: string) => s.schedule(Promise.resolve(), label);
  return {
    build: 'fake',
    async start({ role, instance }, signal, onSpawn) {
      const key = `${role.name}#${instance}`;
      await turn(`spawn ${key}`);
      signal.throwIfAborted();
      if (alive.has(key)) broken.push(`two living servers ${key}`);
      let end: (exit: RawExit) => void = () => {};
      const exited = new Promise<RawExit>((resolve) => {
        end = (exit) => {
          alive.delete(key);
          resolve(exit);
        };
      });
      alive.set(key, end);
      if (alive.size > CAP) broken.push(`${alive.size} processes: ${[...alive.keys()]}`);
      onSpawn(1);
      await turn(`ready ${key}`);
      const leave = async (code: number | null, how: string | null): Promise<void> => {
        await turn(`leave ${key}`);
        end({ code, signal: how, stderr_tail: '' });
        await exited;
      };
      if (signal.aborted) {
        await leave(null, 'SIGKILL');
        throw signal.reason;
      }
      return {
        pid: 1,
        port: 1,
        endpoint: key,
        proves: false,
        client: {} as Launched['client'],
        alive: () => true,
        exited,
        stop: () => leave(0, null),
        kill: () => leave(null, 'SIGKILL'),
      };
    },
    log: async () => [],
    close: async () => {},
  };
}

const step = fc.record({
  act: fc.oneof(
    { weight: 5, arbitrary: fc.constant('claim') },
    { weight: 8, arbitrary: fc.constant('turn') },
    { weight: 4, arbitrary: fc.constant('release') },
    { weight: 3, arbitrary: fc.constantFrom('stop', 'restart', 'crash') },
  ),
  role: fc.constantFrom(...ROLES),
});

test('no interleaving breaks the books', async () => {
  // What must have happened at least once, or the test has proven nothing.
  const reached = { ready: 0, crashed: 0, evicted: 0, waited: 0, stopped: 0 };
  const program = fc.array(step, { minLength: 10, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), program, async (s, steps) => {
      const alive: Alive = new Map();
      const broken: string[] = [];
      const roles = new Map(
        ROLES.map((name) => [name, roleNamed(name, { max_concurrent_runs: 2 })]),
      );
      const launcher = fakeLauncher(s, alive, broken);
      const supervisor = createSupervisor({
        roles: () => roles,
        launcherFor: () => launcher,
        closeLaunchers: async () => {},
        limits: { max_servers: CAP, starts_at_once: 2, idle_ttl_ms: 0, base_port: 0 },
        rules: {
          start_timeout_ms: 60_000,
          probe_every_ms: 60_000,
          probe_deadline_ms: 60_000,
          probe_misses: 3,
          leave_ms: 200,
          drain_ms: 60_000,
          stable_ms: 60_000,
        },
        budget: {
          ...defaultBudgetRules,
          max_exits: 1_000,
          pause: { base_ms: 0, factor: 1, max_ms: 0 },
        },
        emit: ({ state, data }) => {
          if (state === 'attached') reached.ready += 1;
          if (state === 'crashed') reached.crashed += 1;
          if (state === 'stopped') reached.stopped += 1;
          if (data?.reason === 'evicted') reached.evicted += 1;
        },
        random: () => 0,
        clock: systemClock,
        log: silentLog,
      });
      const claims: Claim[] = [];
      const answers: Promise<unknown>[] = [];
      const answered = (work: Promise<unknown>): void =>
        void answers.push(
          work.catch((error) => {
            if (!(error instanceof AppError)) broken.push(String(error));
          }),
        );
      for (const { act, role } of steps) {
        const crash = (): void =>
          alive.get(`${role}#0`)?.({ code: 1, signal: null, stderr_tail: '' });
        if (act === 'claim') {
          const answer = supervisor.claim(role);
          if ('wait' in answer) reached.waited += 1;
          else {
            claims.push(answer);
            answered(answer.ready);
          }
        } else if (act === 'release') claims.shift()?.release();
        else if (act === 'stop') answered(supervisor.stop(role));
        else if (act === 'restart') answered(supervisor.restart(role));
        else if (act === 'crash') crash();
        else {
          // What is due comes first; then the scheduler lets one process go a step.
          await new Promise(setImmediate);
          if (s.count() > 0) await s.waitOne();
        }
      }
      const closed = supervisor.close();
      await s.waitFor(Promise.all([closed, ...answers]));
      expect(broken).toEqual([]);
      expect([...alive.keys()]).toEqual([]);
      expect(supervisor.list().filter((info) => info.state !== 'crashed')).toEqual([]);
    }),
    { numRuns: 500 },
  );
  for (const [what, times] of Object.entries(reached))
    expect(times, `times ${what}`).toBeGreaterThan(20);
});
